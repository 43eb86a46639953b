"""What an analysis answers, as the command line and the notebook of it ask."""

import json

from copa_nb.reports.catalog import find
from copa_nb.reports.parameters import declared


def answered(analysis):
    """Return the result of an analysis."""
    return analysis.run()[1]


def notebook(analysis):
    """Run the cells of the notebook of an analysis in this process, and return its variables."""
    path = find(analysis.notebook).path
    cell = {name: one.default for name, one in declared(path).items()}
    variables = {}
    for one in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if one["cell_type"] == "code":
            exec(compile("".join(one["source"]), path.name, "exec"), variables)
        if "parameters" in one["metadata"].get("tags", []):
            table = {"table": analysis.table} if analysis.has_table else {}
            variables |= {**table, **analysis.variables(cell)}
    return variables
