"""The command ``copa-nb``: reports of the papers, reports on the user's own tables, and their data."""

from copa_nb.cli.commands import main as main
