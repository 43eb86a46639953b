"""The code of the README must run, and print what the README quotes."""

import re
from pathlib import Path

import matplotlib.pyplot as plt

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
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


def test_commands_exist():
    from click import Context

    from copa_nb.cli import main

    commands = set(re.findall(r"copa-nb ([a-z]+)", README))
    assert commands
    assert commands <= set(main.list_commands(Context(main)))


def test_the_make_targets_and_the_page_of_all_options_are_named():
    assert {"make report", "make test", "make test-all"} <= set(re.findall(r"make [a-z-]+", README))
    assert "](docs/reports.md)" in README


def test_files_it_points_to_exist():
    root = Path(__file__).parents[1]
    for target in re.findall(r"\]\((?!https?://)([^)#]+)\)", README):
        assert (root / target).exists(), target
