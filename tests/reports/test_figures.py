"""Figures as files: what happens to characters that no font has."""

import warnings

import matplotlib.pyplot as plt
import pytest

from copa_nb import reports
from copa_nb.reports.figures import render

PRIVATE = "\ue123"  # a code point that no font assigns


def titled(text):
    figure, ax = plt.subplots(figsize=(2, 1))
    ax.set_title(text)
    return figure


def test_characters_without_a_glyph_are_listed_once_and_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rendered = render(titled(f"model {PRIVATE}{PRIVATE}"), salt="t")
    assert rendered.missing == PRIVATE
    assert render(titled("naïve"), salt="t").missing == ""


def test_other_warnings_still_come_through(monkeypatch):
    figure = titled("plain")
    save = figure.savefig

    def save_and_warn(*args, **kwargs):
        warnings.warn("something else", UserWarning, stacklevel=1)
        save(*args, **kwargs)

    monkeypatch.setattr(figure, "savefig", save_and_warn)
    with pytest.warns(UserWarning, match="something else"):
        render(figure, salt="t")


def test_a_report_tells_of_boxes_once(capsys):
    report = reports.Record()
    for name in ("one", "two"):
        report.figure(titled(PRIVATE), name=name, caption="A title.", alt="A title.")
    assert capsys.readouterr().out.count("No font that matplotlib finds here has") == 1
