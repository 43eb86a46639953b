"""What a notebook shows of a widget where no kernel runs: a static twin, which the live view hides."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import zlib
from typing import Any

# The twin in a notebook follows when the widget has been left alone for so long, in seconds.
_TWIN_AFTER = 1.5
_NUMBERS = itertools.count(1)


class HasTwin:
    """A widget that a notebook displays below a static twin.

    The live view hides the twin for as long as it is alive. Where there is no kernel (a saved notebook, nbconvert), the
    twin alone is shown.

    Attributes
    ----------
    twin : str
        The end of the class of the twin in the page, ``copa-nb-static-`` and this.
    """

    twin: Any
    # What was refused its arguments has nothing to close.
    _closed = True
    _display: Any = None
    # The loop of the thread that shows the widget, in which its figures are drawn.
    _loop: asyncio.AbstractEventLoop | None = None
    _waiting: asyncio.TimerHandle | None = None
    # Another object after each move.
    _last_move: object = None

    def to_saved(self) -> str:
        """Write what is shown without a kernel, as one HTML fragment."""
        raise NotImplementedError

    def _twin_soon(self) -> None:
        """Renew the twin after a pause: drawing takes longer than a move.

        Moves may come in another thread than the one that runs the cells: kernels have threads of their own for what
        widgets send. The twin is drawn where the cells run, when these have ended.
        """
        self._last_move = object()
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended: nobody is moving anything
                self._loop.call_soon_threadsafe(self._await_pause)

    def _await_pause(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = asyncio.get_running_loop().call_later(_TWIN_AFTER, self._update_twin)

    def _update_twin(self) -> None:
        self._waiting = None
        if self._closed:
            return
        drawn = self._last_move
        bundle = self._twin_bundle()
        # What moved while it was drawn is in one half of the bundle alone, and asks for the next.
        if drawn is self._last_move:
            self._display.update(bundle, raw=True)

    def _end_twin(self) -> None:
        """Leave the twin as it is."""
        self._closed = True
        if self._waiting is not None:
            self._waiting.cancel()

    def _twin_bundle(self) -> dict[str, str]:
        name = f"copa-nb-static-{self.twin}"
        # A front end without the widget writes an error below the twin; nothing is better.
        live = ":has(.copa-view, .copa-control-panel)"
        broken = f".jp-OutputArea-child:has(.{name}) + .jp-OutputArea-child:not({live})"
        page = f'<style>{broken} {{ display: none; }}</style><div class="{name}">{self.to_saved()}</div>'
        return {"text/html": page, "text/plain": repr(self)}

    def _ipython_display_(self) -> None:
        from IPython.display import display as show

        self._display = show(self._twin_bundle(), raw=True, display_id=True)
        with contextlib.suppress(RuntimeError):  # no loop runs: nothing will move
            self._loop = asyncio.get_running_loop()
        if not self._closed:
            # Where widgets cannot run, nothing stands beside the twin: not even the name of a widget's class.
            # The metadata, if there are any, tell Colab where widgets that are not its own come from.
            made: Any = self._repr_mimebundle_()  # type: ignore[attr-defined]
            live, metadata = made if isinstance(made, tuple) else (made or {}, {})
            show({**live, "text/html": "", "text/plain": ""}, metadata=metadata, raw=True)


def new_twin(content: object) -> str:
    """Return the end of a twin's class.

    Twins are identified by content as well as by number: the output of an earlier kernel stays visible, and the same
    notebook run twice gives the same page.

    Parameters
    ----------
    content : object
        What the twin shows; its ``repr`` counts.
    """
    return f"{zlib.crc32(repr(content).encode()):08x}-{next(_NUMBERS)}"


def hiding(twin: str) -> str:
    """Write the style by which a live view hides its twin."""
    name = f".copa-nb-static-{twin}"
    return f"<style>{name}, .jp-OutputArea-child:has({name}) {{ display: none !important; }}</style>"
