"""Make the thumbnails of the list of notebooks from finished reports.

``copa-nb run papers --out reports; python -m docs.thumbnails reports`` takes the first figure of each report as a
phone shows it, whose letters are still read when it is small, and keeps its upper part. ``python -m tests.generated``
then lists the notebooks with their pictures. Needs Chromium.
"""

import argparse
import io
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[1]
THUMBNAILS = ROOT / "docs" / "images" / "thumbnails"
PHONE = {"width": 400, "height": 900}
# The widths to try in pixels, until the file is small; what is higher than this share of the width is cut off below.
WIDTHS, SHARE = (280, 210), 0.72
MOST_BYTES, COLORS = 14_000, 48


def thumbnail(picture: bytes) -> bytes:
    """Cut the picture of a figure to its upper part, shrink it, and write it in few colors."""
    with Image.open(io.BytesIO(picture)) as opened:
        image = opened.convert("RGB")
    image = image.crop((0, 0, image.width, min(image.height, round(SHARE * image.width))))
    for width in WIDTHS:
        small = image.resize((width, round(image.height * width / image.width)), Image.Resampling.LANCZOS)
        written = io.BytesIO()
        small.quantize(COLORS, dither=Image.Dither.NONE).save(written, "PNG", optimize=True)
        if written.tell() <= MOST_BYTES:
            break
    return written.getvalue()


def path_of(name: str) -> Path:
    """Path of the thumbnail of a report, e.g. of ``"copa/figure_1"``."""
    return THUMBNAILS / f"{name.replace('/', '-')}.png"


def main() -> None:
    """Write a thumbnail for every report in a folder that has a figure."""
    from tests.browser.lab import running_browser

    parser = argparse.ArgumentParser(prog="python -m docs.thumbnails", description=__doc__)
    parser.add_argument("reports", type=Path, help="folder of finished reports")
    reports = parser.parse_args().reports
    THUMBNAILS.mkdir(exist_ok=True)
    with running_browser() as browser:
        page = browser.new_page(viewport=PHONE, color_scheme="light")
        for report in sorted(reports.resolve().glob("*/*/report.html")):
            page.goto(report.as_uri())
            figures = page.locator("figure.plot img")
            if figures.count():
                path = path_of("/".join(report.parts[-3:-1]))
                path.write_bytes(thumbnail(figures.first.screenshot()))
                print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
