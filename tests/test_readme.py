"""The code of the README must run, and print what the README quotes."""

import csv
import io
import re
from collections import Counter
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from copa_nb.claims.collection import installed
from copa_nb.claims.verdicts import OF_PAPERS, OWN
from docs import barcode_picture
from tests.snapshot.make import LEDGER

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
# Pixels of a block, and the change, from 0 to 1, that counts; letters drawn otherwise change 0.2% of the blocks so.
BLOCK, CHANGED, MOST = 16, 0.1, 0.007
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.S)


def test_code_runs_and_the_quoted_words_are_right():
    assert len(BLOCKS) >= 2
    names: dict[str, object] = {}
    for block in BLOCKS:
        exec(compile(block, "README.md", "exec"), names)
    plt.close("all")
    quoted = " ".join(line[2:] for line in README.splitlines() if line.startswith("> "))
    assert names["pick"].best == "medium"
    assert names["pick"].explain() == quoted


def test_the_claims_are_counted_as_in_the_ledger():
    with LEDGER.open(encoding="utf-8", newline="") as lines:
        counts = Counter(row["verdict"] for row in csv.DictReader(lines) if row["verdict"] not in OWN)
    reproduced, differ, hold, fail, unchecked = (counts[verdict] for verdict in OF_PAPERS)
    said = " ".join(README.split())
    assert (
        f"a ledger of {counts.total()} claims of the papers: {reproduced} are reproduced, {differ} differ, "
        f"{hold + fail} were checked on other data only ({hold} hold, {fail} fail), and {unchecked} are not checkable; "
        f"it lists {len(installed().errata)} errata." in said
    )


def test_commands_exist():
    from click import Context

    from copa_nb.cli import main

    commands = set(re.findall(r"copa-nb ([a-z]+)", README))
    assert commands
    assert commands <= set(main.list_commands(Context(main)))


def test_files_it_points_to_exist():
    root = Path(__file__).parents[1]
    for target in re.findall(r"\]\((?!https?://)([^)#]+)\)", README):
        assert (root / target).exists(), target


def _blocks(picture):
    """Mean colors of small squares of a picture: letters that move by a pixel hardly change them."""
    pixels = plt.imread(io.BytesIO(picture))[..., :3]
    height, width = (size // BLOCK for size in pixels.shape[:2])
    return pixels[: height * BLOCK, : width * BLOCK].reshape(height, BLOCK, width, BLOCK, 3).mean(axis=(1, 3))


def _share_changed(picture, other):
    return (np.abs(_blocks(picture) - _blocks(other)).max(axis=2) > CHANGED).mean()


def test_the_picture_is_what_the_package_draws_now():
    root = Path(__file__).parents[1]
    shown = barcode_picture.PATH.relative_to(root).as_posix()
    assert f"]({shown})" in README
    stored = barcode_picture.PATH.read_bytes()
    assert _share_changed(barcode_picture.barcode_picture(), stored) < MOST, "run `python -m docs.barcode_picture`"
    # Other models selected are seen.
    assert _share_changed(barcode_picture.barcode_picture(1), stored) > 2 * MOST
