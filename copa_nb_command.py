"""The console script ``copa-nb``, outside the package, so that it is the program from its first line.

``import copa_nb`` imports pandas, which takes about a second. Until the command itself runs and reports an interruption
(``copa_nb/cli/running.py``), Ctrl-C ends the process without a traceback.
"""

import signal


def main() -> None:
    """Run ``copa-nb``."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a script's background jobs ignore Ctrl-C
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from copa_nb.cli import main as command

    command(prog_name="copa-nb")


if __name__ == "__main__":
    main()
