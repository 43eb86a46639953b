"""``python -m copa_nb.cli``: the command where it is not on the path."""

from copa_nb.cli import main

main(prog_name="copa-nb")
