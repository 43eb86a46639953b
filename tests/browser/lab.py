"""JupyterLab, Notebook, Voila and marimo with folders of their own; for the browser tests and the benchmark."""

import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import nbformat

CHROMIUM = os.environ.get("COPA_NB_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
SWITCHES = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
]  # fmt: skip
START_SECONDS = 300


def missing():
    if not CHROMIUM:
        return "no chromium on the path (COPA_NB_CHROMIUM may name one)"
    for module in ("playwright", "jupyterlab"):
        if importlib.util.find_spec(module) is None:
            return f"{module} is not installed: pip install 'copa_nb[test]'"
    return ""


def _skip(reason):
    # The benchmark does without pytest.
    import pytest

    pytest.skip(reason)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def running_lab(home, application="jupyterlab"):
    """Start JupyterLab or Notebook with folders of its own; gives its address and the folder it serves."""
    folders = {name: home / name for name in ("config", "data", "runtime", "ipython", "work", "settings", "workspaces")}
    for folder in folders.values():
        folder.mkdir()
    quiet = folders["settings"] / "@jupyterlab" / "apputils-extension"
    quiet.mkdir(parents=True)
    (quiet / "notification.jupyterlab-settings").write_text('{"fetchNews": "false", "checkForUpdates": false}')
    port = free_port()
    environment = {
        "JUPYTER_CONFIG_DIR": str(folders["config"]),
        "JUPYTER_DATA_DIR": str(folders["data"]),
        "JUPYTER_RUNTIME_DIR": str(folders["runtime"]),
        "JUPYTERLAB_SETTINGS_DIR": str(folders["settings"]),
        "JUPYTERLAB_WORKSPACES_DIR": str(folders["workspaces"]),
        "IPYTHONDIR": str(folders["ipython"]),
    }
    exposed = {"jupyterlab": "LabApp", "notebook": "JupyterNotebookApp"}[application]
    command = [
        application, "--no-browser", "--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0", "--IdentityProvider.token=", "--ServerApp.password=", "--allow-root",
        "--ServerApp.disable_check_xsrf=True", f"--ServerApp.root_dir={folders['work']}",
        f"--{exposed}.expose_app_in_browser=True",
    ]  # fmt: skip
    with running_server(home, command, port, "/api/status", environment, folders["work"]) as address:
        yield address, folders["work"]


@contextmanager
def running_server(home, command, port, ready, environment=(), folder=None):
    """Start ``python -m command`` on 127.0.0.1, wait until it answers, and end it by its own handle.

    What it wrote while it was asked may hold no traceback.
    """
    log = (home / "server.log").open("w")
    server = subprocess.Popen(
        [sys.executable, "-m", *command], stdout=log, stderr=subprocess.STDOUT, cwd=folder or home,
        env=os.environ | {"HOME": str(home), "PYTHONPATH": str(Path(__file__).parents[2]), "MPLBACKEND": "agg"}
        | dict(environment),
    )  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{address}{ready}", server, home / "server.log")
        yield address
        written = (home / "server.log").read_text(errors="replace")
        assert "Traceback" not in written, written[written.find("Traceback") :][:3000]
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        log.close()


def _wait_for(address, server, log):
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        if server.poll() is not None:
            _skip(f"the server does not start here: {log.read_text()[-600:]}")
        try:
            with urllib.request.urlopen(address, timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.3)
    _skip(f"the server did not answer within {START_SECONDS} s: {log.read_text()[-600:]}")


@contextmanager
def running_browser():
    """Start Chromium."""
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as playwright:
        try:
            started = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        except Error as error:
            _skip(f"{CHROMIUM} does not start: {error}")
        yield started
        started.close()


class Notebook:
    """A notebook in JupyterLab."""

    def __init__(self, page, address, folder):
        self.page, self.address, self.folder, self.name = page, address, folder, "one.ipynb"

    def run(self, *cells):
        """Write a notebook with these cells, open it, run all of it and wait until the kernel is idle."""
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
        (self.folder / self.name).write_text(nbformat.writes(book))
        self.open()
        # The page is there before the kernel: run only when the session has one, or the cells are lost.
        self._wait_for_kernel()
        self.page.evaluate("() => { window.jupyterapp.shell.collapseLeft(); }")
        self.page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells'); }")
        self.page.wait_for_function(_ALL_RAN, arg=len(cells), timeout=300_000)

    def open(self):
        """Open the file, or open it again."""
        self.page.goto(f"{self.address}/lab/tree/{self.name}?reset")
        self.page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=300_000)

    def cell(self, number):
        """Find a cell of code and what it shows."""
        return self.page.locator(".jp-CodeCell").nth(number)

    def execute(self, code):
        """Run a statement in the notebook's kernel through a new last cell; returns what it prints."""
        before = self.page.locator(".jp-CodeCell").count()
        self.page.evaluate(_APPEND, code)
        self.page.wait_for_function(_ALL_RAN, arg=before + 1, timeout=300_000)
        return self.cell(before).locator(".jp-OutputArea").first.inner_text()

    def wait_for_saved_picture(self, text):
        """Wait until the output that is saved with the notebook reads like this: it follows a move after a pause."""
        self.page.wait_for_function(_SAYS, arg=text, timeout=300_000)

    def save(self):
        """Save the notebook; returns what is then in the file."""
        self.page.evaluate("async () => { await window.jupyterapp.commands.execute('docmanager:save'); }")
        return (self.folder / self.name).read_text(encoding="utf-8")

    def end_kernel(self):
        for session in self._sessions():
            end = urllib.request.Request(f"{self.address}/api/sessions/{session['id']}", method="DELETE")
            urllib.request.urlopen(end)

    def _sessions(self):
        with urllib.request.urlopen(f"{self.address}/api/sessions") as answer:
            return json.load(answer)

    def _wait_for_kernel(self):
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            # While Python waits for anything but the page, the page's requests wait for Python.
            connected = self.page.evaluate(_CONNECTED)
            if connected and any(one["kernel"]["execution_state"] == "idle" for one in self._sessions()):
                return
            time.sleep(0.2)
        raise AssertionError(f"no idle kernel for {self.name}")


_CONNECTED = """() => {
  const panel = window.jupyterapp?.shell?.currentWidget;
  return panel?.sessionContext?.session?.kernel?.connectionStatus === 'connected';
}"""
_ALL_RAN = """count => {
  const panel = window.jupyterapp.shell.currentWidget;
  const cells = panel.content.widgets.filter(cell => cell.model.type === 'code');
  const done = cells.filter(cell => cell.model.sharedModel.execution_count !== null
      && cell.model.executionState !== 'running' && !cell.promptNode?.textContent?.includes('*'));
  return done.length >= count && panel.sessionContext.session.kernel.status === 'idle';
}"""
_SAYS = """text => window.jupyterapp.shell.currentWidget.content.widgets.some(
  cell => cell.model.type === 'code'
    && cell.model.outputs.toJSON().some(output => String(output.data?.['text/plain'] ?? '').includes(text)))"""
_APPEND = """code => {
  const panel = window.jupyterapp.shell.currentWidget;
  const shared = panel.content.model.sharedModel;
  shared.insertCell(shared.cells.length, { cell_type: 'code', source: code });
  panel.content.activeCellIndex = shared.cells.length - 1;
  window.jupyterapp.commands.execute('notebook:run-cell');
}"""


@contextmanager
def open_notebook(home, browser):
    """Start JupyterLab and open a page that refuses every request but those to that server."""
    elsewhere = []

    def only_here(route):
        if route.request.url.startswith((address, "data:", "blob:")):
            route.continue_()
        else:
            elsewhere.append(route.request.url)
            route.abort()

    with running_lab(home) as (address, folder), browser.new_page(viewport={"width": 1440, "height": 1250}) as page:
        page.context.route("**/*", only_here)
        opened = Notebook(page, address, folder)
        yield opened
        opened.end_kernel()
    assert elsewhere == []
