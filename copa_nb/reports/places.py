"""Which folder a report goes to, and which places are refused before anything runs."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from copa_nb.checks import called
from copa_nb.reports.catalog import Entry
from copa_nb.reports.folder import HIDDEN, MANIFEST, OVERVIEW, PARTIAL, is_as_written, read_manifest
from copa_nb.reports.inputs import file_hash, parameter_files
from copa_nb.reports.jobs import Job


def slug(text: str) -> str:
    """Turn any text into a folder name.

    Examples
    --------
    >>> slug("p=∞, A&B ../x")
    'p-A-B-x'
    """
    return re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-") or "x"


def default_folder(entry: Entry, parameters: Mapping[str, Any]) -> str:
    """Return the folder of a report unless the user names one: that of the notebook, or of the user's table.

    Examples
    --------
    >>> from copa_nb.reports.catalog import find
    >>> default_folder(find("select"), {"table": "data/my models.csv"})
    'select/my-models'
    """
    if entry.area != "yours":
        return entry.name
    table = Path(str(parameters.get("table") or "example"))
    return f"{entry.name.split('/')[1]}/{slug(table.name.split('.')[0])}"


def checked_folder(name: str) -> str:
    """Refuse a folder that is not below the output folder, or has the name of something else in it."""
    if not all(re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.\-]*", part) for part in str(name).split("/")):
        raise ValueError(
            f"{called('name')} is {name!r}, but it is used as a folder; allowed are letters, digits, '.', '-' and '_', "
            "with '/' between folders."
        )
    top = str(name).split("/")[0].lower()
    reserved = dict.fromkeys(OVERVIEW, "the overview of all reports") | {PARTIAL: "the folder of failed notebooks"}
    if top in reserved:
        raise ValueError(f"{called('name')} is {name!r}, but {top} is {reserved[top]}; choose another name.")
    return str(name)


def table_of(job: Job, out: Path) -> str:
    """Return where a report's table is, seen from the output folder; empty if it has none or a program gave it."""
    table = job.parameters.get("table")
    path = (Path(job.cwd) / str(table)).resolve()
    if not table or path.is_relative_to((out / HIDDEN).resolve()):
        return ""
    return Path(os.path.relpath(path, out.resolve())).as_posix()


def keep_table(file: Path, out: Path) -> Path:
    """Keep a table that a program handed over, for the report that is made of it; return where it is."""
    kept = out / HIDDEN / "tables" / file_hash(file)[:16] / file.name
    if not kept.is_file():
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, kept.with_suffix(".part"))
        kept.with_suffix(".part").replace(kept)
    return kept


def refuse_foreign(jobs: Sequence[Job], out: Path) -> None:
    """Refuse reports whose places are not their own, before anything runs or is written.

    Raises
    ------
    ValueError
        With the conflict and how to resolve it.
    """
    if read_manifest(out) is not None:
        raise ValueError(f"The output folder {out} is itself a report; choose another one.")
    for page in OVERVIEW:
        if (out / page).exists() and not is_as_written(out, page):
            raise ValueError(
                f"{out / page} was not written by copa-nb or was edited, and would be replaced; move it, "
                "or choose another output folder."
            )
    names = [job.name for job in jobs]
    for job in jobs:
        outer = next((name for name in names if job.name.startswith(f"{name}/")), None)
        if outer is not None:
            raise ValueError(
                f"The folder of the report {job.name!r} would be inside that of {outer!r}; rename one of them."
            )
        _refuse_what_is_there(job, out)


def _refuse_what_is_there(job: Job, out: Path) -> None:
    folder, remedy = out / job.name, "choose another name for the report or another output folder"
    for path in list(folder.parents)[: len(Path(job.name).parts) - 1]:
        if path.exists() and not path.is_dir():
            raise ValueError(f"{path} is a file, but must be a folder; {remedy}.")
        if read_manifest(path) is not None:
            raise ValueError(f"{folder} would be inside the folder of the report {path}; {remedy}.")
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise ValueError(f"{folder} is a file or a link, but must be a folder; {remedy}.")
    for text, path in {job.notebook: Path(job.notebook), **parameter_files(job)}.items():
        if path.resolve().is_relative_to(folder.resolve()):
            raise ValueError(f"{text} is in {folder}, which the report would replace; {remedy}.")
    if not folder.exists() or not any(folder.iterdir()):
        return
    below = [path.parent for path in sorted(folder.rglob(MANIFEST)) if path.parent != folder]
    if nested := [path for path in below if read_manifest(path) is not None]:
        raise ValueError(f"{folder} contains other reports ({nested[0]}); {remedy}.")
    manifest = read_manifest(folder)
    if manifest is None or manifest.get("name") != job.name:
        raise ValueError(f"{folder} contains files that do not belong to this report; {remedy}, or move them.")
    made_from = manifest["notebook"]["file"]
    if made_from != Path(job.notebook).name:
        raise ValueError(f"{folder} contains another report, made from {made_from}; {remedy}.")
    before, now = manifest["run"].get("table"), table_of(job, out)
    # By default a report has the name of its table; under a name of its own it may follow the tables of the day.
    if before and now and before != now and Path(job.name).name.startswith(slug(Path(now).name.split(".")[0])):
        raise ValueError(f"{folder} contains the report of another table, {out / before}; {remedy}, or remove it.")
