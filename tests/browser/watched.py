"""A browser all pages of which report what goes wrong in them: errors of scripts, of the console, and error boxes."""

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


class WatchedBrowser:
    """A browser that hears all its pages.

    Parameters
    ----------
    browser : playwright.sync_api.Browser
        The browser.
    errors : list of str
        Where errors are written, as they come.
    """

    def __init__(self, browser, errors):
        self._browser, self._errors = browser, errors

    def new_context(self, **options):
        """Open a window of its own."""
        context = self._browser.new_context(**options)
        context.add_init_script(_REPORT_ERROR_BOXES)
        context.on("console", self._console)
        context.on("weberror", lambda thrown: self._hear(f"{thrown.error.message}\n{thrown.error.stack}"))
        return context

    def new_page(self, **options):
        """Open a page in a window of its own; close it with ``page.context.close()``."""
        return self.new_context(**options).new_page()

    def _console(self, message):
        if message.type == "error":
            self._hear(f"{message.text} ({message.location.get('url', '')})")

    def _hear(self, text):
        if not NOT_OURS.search(text):
            self._errors.append(text)
