"""A folder of three reports made without a kernel: what they record goes straight into their notebooks' outputs."""

import matplotlib.pyplot as plt
import nbformat
import pandas as pd

from copa_nb.reports import Answer, Record
from copa_nb.reports import record as module
from copa_nb.reports.assembly import assemble
from copa_nb.reports.folder import prepare
from copa_nb.reports.jobs import Job
from copa_nb.reports.overview import write_overview

NAMES = ("copa/figure_1", "copa/figure_7", "gap/table_1")


def _recorded(patch, fill):
    outputs = []

    def keep(payload=None, *, kind="", metadata=None, text="", html="", png=b""):
        import base64

        data = {"text/plain": text} | ({"text/html": html} if html else {}) | ({kind: payload} if kind else {})
        data |= {"image/png": base64.b64encode(png).decode()} if png else {}
        outputs.append(nbformat.v4.new_output("display_data", data=data, metadata=metadata or {}))

    patch.setattr(module, "emit", keep)
    fill()
    return outputs


def _figure_1():
    report = Record(paper="COPA", item="Figure 1")
    table = pd.DataFrame({"kg": [0.5, 13.0], "score": [28.0, 47.0]}, index=["Phi-3 <mini>", "large 模型"])

    def draw():
        figure, ax = plt.subplots()
        ax.scatter(table["kg"], table["score"])
        ax.set(xlabel="CO₂ (kg)", ylabel="score")
        return figure

    report.answer(Answer("Phi-3 emits 0.5 kg of CO₂", ["Not 13."], question="Which model?", certainty="9 of 10."))
    report.figure(draw, name="front", finding="Two models", caption="Score against CO₂.", alt="Two points.", data=table)
    report.table(table, name="models", caption="Both.")
    report.claim("copa-fig1-half", found="top 17%", ours="17%", holds=True)
    report.claim("copa-front-size", found="409 of them", ours="409", holds=False, note="two populations")
    report.close()


def _figure_7():
    report = Record(paper="COPA", item="Figure 7")
    report.table(pd.DataFrame({"data": ["DomainNet", "PACS"], "τ": [0.5, 0.25]}), name="tau", caption="Agreement.")
    report.claim("copa-fig7-average", found="τ 0.5", holds=False, other_data="two sets: the others are not public")
    report.claim("our-own", says="two is even", found="2 % 2 = 0", holds=True)
    report.close()


def _table_1():
    report = Record(paper="Mind the Gap", item="Table 1")
    report.text("Nothing of note.")
    report.claim("gap-exists", found="0.02", holds=True)
    report.close()


def make_reports(root, patch):
    """Make the three reports and the pages about them; return the folder."""
    out = root / "reports"
    prepare(out)
    for name, fill in zip(NAMES, (_figure_1, _figure_7, _table_1), strict=True):
        cell = nbformat.v4.new_code_cell("...", id="c", outputs=_recorded(patch, fill))
        sections = [nbformat.v4.new_markdown_cell(f"## Part {part}", id=f"p{part}") for part in range(3)]
        first = nbformat.v4.new_markdown_cell(f"# Heading of {name}\n\nA sentence. More.", id="m")
        notebook = nbformat.v4.new_notebook(cells=[first, cell, *sections])
        folder = out / name
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / "report.ipynb")
        source = root / f"{name.replace('/', '-')}.ipynb"
        nbformat.write(nbformat.v4.new_notebook(cells=[first]), source)
        job = Job(name=name, notebook=str(source), parameters={}, cwd=str(root))
        assemble(job, folder, fingerprint="x")
    write_overview(out)
    return out
