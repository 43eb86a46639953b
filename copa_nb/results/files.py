"""Files for other programs, in memory: links in a notebook, downloads of a report, or a folder on disk."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from copa_nb import text


class Files(Mapping[str, str]):
    """The contents of files, by their names.

    Parameters
    ----------
    contents : mapping of file name to text
        What is in them.
    caption : str
        What they are for.

    Examples
    --------
    >>> Files({"routes.json": "{}"}, "The routes for other programs:")
    <Files routes.json>
    """

    def __init__(self, contents: Mapping[str, str], caption: str) -> None:
        self._contents = dict(contents)
        self.caption = caption

    def __getitem__(self, name: str) -> str:
        return self._contents[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._contents)

    def __len__(self) -> int:
        return len(self._contents)

    def __repr__(self) -> str:
        return f"<Files {', '.join(self)}>"

    def _repr_html_(self) -> str:
        links = (
            f'<a download="{text.attribute(name)}" href="data:text/plain;base64,'
            f'{base64.b64encode(content.encode("utf-8")).decode("ascii")}">{text.escape(name)}</a>'
            for name, content in self.items()
        )
        return f"<p>{text.escape(self.caption)} {' · '.join(links)}</p>"

    def write(self, folder: str | os.PathLike[str]) -> Path:
        """Write the files into a folder, which is made if need be.

        Parameters
        ----------
        folder : path
            Where to.

        Returns
        -------
        Path
            The folder.
        """
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        for name, content in self.items():
            (place / name).write_text(content, encoding="utf-8", newline="\n")
        return place
