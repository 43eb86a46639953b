"""What is kept of an executed notebook: nothing that differs from run to run."""

import nbformat
import pytest

from copa_nb.reports.assembly import assemble, normalize
from copa_nb.reports.jobs import Execution, Failure, Job


def executed(*counts):
    cells = [nbformat.v4.new_code_cell(f"x = {k}", id=f"c{k}", execution_count=n) for k, n in enumerate(counts)]
    first = nbformat.v4.new_markdown_cell("# A report\n\nWhat it shows.", id="a")
    return nbformat.v4.new_notebook(cells=[first, *cells])


def counts(notebook):
    return [cell["execution_count"] for cell in notebook.cells if cell.cell_type == "code"]


@pytest.mark.parametrize("last", [2, None], ids=["kernel said it began", "kernel had not said so"])
def test_a_kernel_that_died_leaves_the_same_bytes_whatever_it_said_last(last, tmp_path):
    source = tmp_path / "a.ipynb"
    nbformat.write(executed(None, None), source)
    nbformat.write(executed(1, last), tmp_path / "report.ipynb")
    job = Job(name="a", notebook=str(source), parameters={}, cwd=str(tmp_path))
    execution = Execution(Failure("cell 2", "the kernel died"), killed_cell="c1")
    assemble(job, tmp_path, fingerprint="x", execution=execution)
    assert counts(nbformat.read(tmp_path / "report.ipynb", as_version=4)) == [1, None]


def test_cells_that_ran_keep_their_numbers():
    notebook = executed(1, 2)
    normalize(notebook)
    assert counts(notebook) == [1, 2]
