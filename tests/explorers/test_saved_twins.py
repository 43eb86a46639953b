"""What a notebook saves of an explorer, while its page moves it in another thread than the one that runs the cells."""

import asyncio
import copy
import html
import itertools
import json
import re
import threading
import time

import pytest
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell

from copa_nb import datasets
from copa_nb.explorers import twin
from tests import asked
from tests.event_loop import run_cells

CONTENT = re.compile(r'<script type="application/json" id="content">(.*?)</script>', re.DOTALL)
PAGE = re.compile("srcdoc='(.*?)'", re.DOTALL)


@pytest.fixture
def published(monkeypatch):
    """What a notebook is sent."""
    monkeypatch.setattr(twin, "_TWIN_AFTER", 0.05)
    shell = InteractiveShell.instance()
    shell.display_pub = CapturingDisplayPublisher()
    yield shell.display_pub.outputs
    InteractiveShell.clear_instance()


@pytest.fixture
def choice():
    with datasets.load_open_llm_leaderboard().head(100).moo.explore() as opened:
        yield opened


def twins(published):
    """The saved outputs, one after the other: what they say, and the weights of their page."""
    pages = [output["data"] for output in published if "copa-nb-static" in output["data"]["text/html"]]
    found = [json.loads(CONTENT.search(html.unescape(PAGE.search(data["text/html"])[1]))[1]) for data in pages]
    return [(data["text/plain"], content["state"]["weights"]) for data, content in zip(pages, found, strict=True)]


async def until(holds):
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        await asyncio.sleep(0.02)


def test_moves_are_saved_once_after_a_pause_until_the_explorer_is_closed(choice, published):
    async def cells():
        choice.set_weight("co2_kg", 0.2)
        choice._ipython_display_()
        for weight in (0.3, 0.4, 0.9):
            choice.set_weight("co2_kg", weight)
        await until(lambda: len(twins(published)) == 2)
        assert twins(published)[-1] == (repr(choice), choice.state["weights"])
        choice.set_weight("co2_kg", 0.5)
        choice.close()
        await asyncio.sleep(0.3)

    run_cells(cells())
    assert len(twins(published)) == 2


def test_a_move_of_another_thread_is_saved_by_the_thread_that_shows(choice, published, monkeypatch):
    threads = []
    draw = type(choice).to_figure
    monkeypatch.setattr(type(choice), "to_figure", lambda self: threads.append(threading.get_ident()) or draw(self))

    async def cells():
        choice._ipython_display_()
        await asyncio.to_thread(choice.set_weight, "co2_kg", 0.6)
        await until(lambda: len(twins(published)) == 2)
        return threading.get_ident()

    assert run_cells(cells()) == threads[0] == threads[1]
    assert twins(published)[-1] == (repr(choice), choice.state["weights"])
    choice.set_weight("co2_kg", 0.9)
    assert choice.state["weights"][choice.matrix.objectives.position("co2_kg")] == 0.9, "although the loop has ended"


def test_what_is_saved_is_of_one_position(choice, published, monkeypatch):
    draw = type(choice).to_figure
    moves = iter([0.3, 0.6])

    def moved_meanwhile(self):
        """Another thread moves the explorer while its twin is drawn."""
        figure = draw(self)
        if (weight := next(moves, None)) is not None:
            thread = threading.Thread(target=choice.set_weight, args=("co2_kg", weight))
            thread.start()
            thread.join()
        return figure

    async def cells():
        choice._ipython_display_()
        before = repr(choice)
        monkeypatch.setattr(type(choice), "to_figure", moved_meanwhile)
        choice.set_weight("co2_kg", 0.0)
        await until(lambda: twins(published)[-1][0] not in (before, ""))
        await until(lambda: twins(published)[-1][1] == choice.state["weights"])

    run_cells(cells())
    said = {}
    for line, weights in twins(published):
        choice.move(weights=weights)
        said[line] = repr(choice)
    assert list(said) == list(said.values())
    assert len(said) > 1


def test_a_choice_is_kept_for_the_weights_it_was_made_with(choice, monkeypatch):
    """Another thread moves the explorer between a question and its answer."""
    start, best = choice.state, choice.best
    select = type(choice)._select

    def moved_before(self, *args):
        monkeypatch.setattr(type(choice), "_select", select)
        moving.start()
        while self.state["weights"][place] != 0.9:
            time.sleep(0.01)
        return select(self, *args)

    moving = threading.Thread(target=choice.set_weight, args=("co2_kg", 0.9))
    place = choice.matrix.objectives.position("co2_kg")
    choice.set_weight("co2_kg", 0.0)
    assert choice.best != best
    choice.move(**start)
    monkeypatch.setattr(type(choice), "_select", moved_before)
    assert choice.best == best
    moving.join(60)
    assert choice.best != best
    choice.move(**start)
    assert choice.best == best


def test_a_page_is_made_while_another_thread_moves_the_explorer(monkeypatch):
    """A page holds scenes of other positions than the one shown, which must not come into the view."""
    make, scenes = None, itertools.count()

    def interleaved(self):
        if threading.current_thread() is moving:
            time.sleep(0.3)
            return make(self)
        number = next(scenes)
        if number == 0:
            moving.start()
            while self.state["count"] != 5:
                time.sleep(0.01)
        if number == 1:
            moving.join(1)
        return make(self)

    with asked.posets(datasets.load_deepobs(), system="optimizer", item="problem").explore() as explorer:
        make = type(explorer)._make_scene
        moving = threading.Thread(target=explorer.move, kwargs={"count": 5})
        with monkeypatch.context() as patched:
            patched.setattr(type(explorer), "_make_scene", interleaved)
            explorer.to_page()
            moving.join(60)
        with copy.copy(explorer) as made_there:
            assert explorer.scene == made_there.scene
