"""The command ``copa-nb``: reports of the papers, reports of one's own tables, and their data."""

from copa_nb.cli.commands import main as main
