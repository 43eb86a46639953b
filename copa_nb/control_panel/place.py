"""Where the panel answers: a question with its buttons, or sentences with an explorer or plots."""

from __future__ import annotations

import base64
from typing import Any

import ipywidgets

from copa_nb.control_panel.answers import Shown
from copa_nb.control_panel.questions import OpenQuestion
from copa_nb.control_panel.settings import Change, Settings
from copa_nb.results.result import picture_html
from copa_nb.text import attribute, escape


class Place:
    """The inside of a tab.

    Parameters
    ----------
    words : str
        What stands there first, as HTML.
    """

    def __init__(self, words: str = "") -> None:
        self._words, self._drawn = ipywidgets.HTML(words), ipywidgets.HTML()
        self._buttons = ipywidgets.HBox()
        self._buttons.add_class("copa-buttons")
        self.box = ipywidgets.VBox([self._words])
        self.box.add_class("copa-place")
        self._last: Shown | None = None

    def show(self, shown: Shown) -> None:
        """Show an answer."""
        first, *others = shown.sentences
        said = f"<p class='copa-headline'>{escape(first)}</p>{''.join(f'<p>{escape(one)}</p>' for one in others)}"
        self._words.value = f"<div role='status' aria-live='polite'>{said}</div>"
        if shown is not self._last and shown.explorer is None:
            self._drawn.value = "".join(map(picture_html, shown.results))
        self._last = shown
        self._put(self._words, self._drawn if shown.explorer is None else shown.explorer)

    def show_question(self, question: OpenQuestion, change: Change) -> None:
        """Ask something; each button answers it."""
        self._buttons.children = [_button(words, settings, change) for words, settings in question.answers.items()]
        self._words.value = f"<p role='status' class='copa-question'>{escape(question.text)}</p>"
        self._last = None
        self._put(self._words, self._buttons)

    def show_error(self, message: str) -> None:
        """Show why there is no answer."""
        self.show_words(f"<p role='alert' class='copa-error'>{escape(message)}</p>")

    def show_words(self, words: str) -> None:
        """Show words, as HTML, and nothing else."""
        self._words.value, self._last = words, None
        self._put(self._words)

    def _put(self, *children: Any) -> None:
        if self.box.children != children:
            self.box.children = children

    def to_saved(self) -> str:
        """Write what is shown, without the controls."""
        if self._last is None:
            return str(self._words.value)
        drawn = self._drawn.value if self._last.explorer is None else self._last.explorer.to_saved()
        return f"{self._words.value}{drawn}"


def _button(words: str, settings: Settings, change: Change) -> Any:
    button = ipywidgets.Button(description=words)
    button.on_click(lambda _: change(lambda _: settings))
    return button


def link(content: str, name: str, kind: str, title: str) -> str:
    """Write a link that saves what it holds."""
    held = base64.b64encode(content.encode("utf-8")).decode("ascii")
    return f"<p><a download='{attribute(name)}' href='data:{kind};charset=utf-8;base64,{held}'>{escape(title)}</a></p>"
