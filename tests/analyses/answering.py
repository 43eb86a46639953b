"""What an analysis answers, as the command line and the notebook of it ask."""

import json

from copa_nb.analyses.registry import analyses
from copa_nb.reports.catalog import find
from copa_nb.reports.parameters import declared


def requests(name):
    """Return a function that makes requests of an analysis."""
    return lambda **given: analyses()[name].of(given)


def answered(request):
    """Return the result of a request."""
    return request.run()[1]


def notebook(request):
    """Run the cells of the notebook of a request in this process, and return its variables."""
    path = find(request.analysis.notebook).path
    cell = {name: one.default for name, one in declared(path).items()}
    variables = {}
    for one in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if one["cell_type"] == "code":
            exec(compile("".join(one["source"]), path.name, "exec"), variables)
        if "parameters" in one["metadata"].get("tags", []):
            table = {"table": request.table} if request.has_table else {}
            variables |= {**table, **request.variables(cell)}
    return variables
