"""The program of `make lowest`, which another environment runs, is in step with the verbs and the commands."""

import pytest
from click.testing import CliRunner

from copa_nb.cli import main
from tests.lowest import COMMANDS, ask_verbs, write_tables


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::copa_nb.errors.RunsWarning")
def test_every_verb_and_every_quick_command_answers(tmp_path, monkeypatch):
    ask_verbs()
    monkeypatch.chdir(tmp_path)
    write_tables(tmp_path)
    quick = [command for command in COMMANDS if "--quick" in command or command[0] in ("describe", "check")]
    assert len(quick) >= 8
    for command in quick:
        found = CliRunner().invoke(main, command)
        assert found.exit_code == 0, found.output
