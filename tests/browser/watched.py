"""A browser all pages of which report what goes wrong: errors of scripts, of the console, dialogs and error boxes."""

import json
import re

# What Jupyter shows in the place of a widget that fails, and for what a cell raises or writes to stderr.
ERROR_BOXES = ".jupyter-widgets-error-widget, [data-mime-type='application/vnd.jupyter.stderr']"
ERROR_BOX = "error box: "
_REPORT_ERROR_BOXES = f"""(() => {{
  const reported = new Set();
  new MutationObserver(() => {{
    for (const box of document.querySelectorAll({json.dumps(ERROR_BOXES)})) {{
      if (!reported.has(box)) console.error({json.dumps(ERROR_BOX)} + box.textContent.trim());
      reported.add(box);
    }}
  }}).observe(document, {{ childList: true, subtree: true }});
}})()"""
# Errors of the applications that show our pages, whatever they show.
NOT_OURS = re.compile(
    # The page of Voila asks for its icons from the network.
    r"Failed to load resource.*cdn\.jsdelivr\.net/npm/@fortawesome"
    # Voila loads the extension of Notebook 7, which needs parts that only Notebook and JupyterLab have.
    r"|shared module is not a function.*/voila/labextensions/@jupyter-notebook/lab-extension/"
    # A page of Voila that is left asks for the end of its kernel without Jupyter Server's token.
    r"|403 \(Forbidden\).*/voila/api/shutdown/"
    # Notebook 7 reads the settings of a plugin before they are loaded.
    r"|reading 'schema'\).*/static/notebook/notebook_core",
    re.DOTALL,
)


# How long a page takes depends on what else the machine does.
MOST_SECONDS = 120


class WatchedBrowser:
    """A browser that hears all its pages.

    Parameters
    ----------
    browser : playwright.sync_api.Browser
        The browser.

    Attributes
    ----------
    errors : list of str
        Errors of all pages, as they come; a test that expects some takes them out.
    """

    def __init__(self, browser):
        self._browser, self.errors = browser, []

    def new_page(self, **options):
        """Open a page in a window of its own, which is closed after the test; ``with`` closes it earlier."""
        context = self._browser.new_context(**options)
        context.set_default_timeout(1000 * MOST_SECONDS)
        context.add_init_script(_REPORT_ERROR_BOXES)
        context.on("console", self._console)
        context.on("dialog", self._dialog)
        context.on("weberror", lambda thrown: self._hear(f"{thrown.error.message}\n{thrown.error.stack}"))
        return context.new_page()

    def close_pages(self):
        for context in self._browser.contexts:
            context.close()

    def _console(self, message):
        if message.type == "error":
            self._hear(f"{message.text} ({message.location.get('url', '')})")

    def _dialog(self, dialog):
        # JupyterLab asks before a notebook that was changed is left; no page of ours asks anything.
        if dialog.type != "beforeunload":
            self._hear(f"dialog: {dialog.message}")
        dialog.accept()

    def _hear(self, text):
        if not NOT_OURS.search(text):
            self.errors.append(text)
