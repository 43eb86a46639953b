"""The skeleton of every page that the package writes: its head, its security policy, and light and dark colors."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence

from copa_nb import text

# Colors of letters and of the page, in light and in dark.
INK = ("#1a1a1a", "#e4e4e4")
PAPER = ("#fff", "#181818")


def head(
    title: str,
    style: str,
    *,
    scripts: Sequence[str] = (),
    images: str = "data:",
    inline_styles: bool = True,
    ink: tuple[str, str] = INK,
    paper: tuple[str, str] = PAPER,
    description: str = "",
    preview: str = "",
) -> str:
    """Write a page from its first line to the end of its head.

    Parameters
    ----------
    title : str
        Of the page, as plain text.
    style : str
        CSS of this kind of page. It can use the variables ``--ink`` and ``--paper``.
    scripts : sequence of str
        The only scripts that may run in the page, and in frames whose source is inside it.
    images : str
        Where images may come from, as a Content-Security-Policy names it.
    inline_styles : bool
        Whether elements may have styles of their own. Otherwise only `style` applies.
    ink, paper : tuple of two str
        Colors of letters and of the page, in light and in dark.
    description : str
        A sentence for those to whom the page is sent.
    preview : str
        Picture for them, as an address seen from the page.

    Returns
    -------
    str

    Examples
    --------
    >>> print(head("A <b>", "h1 { margin: 0; }").splitlines()[6])
    <title>A &lt;b&gt;</title>
    """
    style = _colors(ink, paper) + style
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(style, scripts, images, inline_styles)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text.attribute(title)}</title>\n"
        f"{_shared(title, description, preview)}"
        f'<meta name="generator" content="copa_nb">\n<style>{style}</style>\n</head>\n'
    )


def _shared(title: str, description: str, preview: str) -> str:
    """Write what chats and social media show of a page that somebody shares."""
    if not (description or preview):
        return ""
    said = {"og:title": title, "og:description": description, "og:image": preview}
    return "".join(
        f'<meta property="{name}" content="{text.attribute(content)}">\n' for name, content in said.items() if content
    )


def content_hash(content: str) -> str:
    """The hash of a script or style, as a Content-Security-Policy names it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode('utf-8')).digest()).decode('ascii')}"


def _policy(style: str, scripts: Sequence[str], images: str, inline_styles: bool) -> str:
    """Allow what the page holds, and nothing else: no other address, base address or target of a form."""
    hashes = [f"'{content_hash(script)}'" for script in scripts] or ["'none'"]
    styles = "'unsafe-inline'" if inline_styles else f"'{content_hash(style)}'"
    return (
        f"default-src 'none'; script-src {' '.join(hashes)}; style-src {styles}; img-src {images}; "
        "base-uri 'none'; form-action 'none'"
    )


def _colors(ink: tuple[str, str], paper: tuple[str, str]) -> str:
    """Write the colors of a page; paper is white, so dark is for screens."""
    light, dark = (f"--ink: {ink[mode]}; --paper: {paper[mode]};" for mode in range(2))
    return (
        f":root {{ color-scheme: light dark; {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
        "body { margin: 0; color: var(--ink); background: var(--paper); }\n"
    )
