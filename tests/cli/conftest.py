"""What the tests of the command share: calls of it in a folder of their own."""

import pytest
from click.testing import CliRunner

from copa_nb.cli import main


@pytest.fixture
def invoke(tmp_path, monkeypatch):
    """Call the command, and return how it ended and what it printed."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments, **options: CliRunner().invoke(main, [str(argument) for argument in arguments], **options)


@pytest.fixture
def quick(invoke):
    """Ask for an answer alone, which has to come, and return what is printed."""

    def ask(*arguments, **options):
        result = invoke(*arguments, "--quick", **options)
        assert result.exit_code == 0, result.output
        return result.output

    return ask
