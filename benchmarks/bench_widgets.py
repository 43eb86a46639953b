"""From an input event to the changed picture, in the exported page in headless Chromium; memory after many openings.

python benchmarks/bench_widgets.py              # page and memory
python benchmarks/bench_widgets.py --csv FILE   # also write the table to a file
"""

import argparse
import gc
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1]))

from copa_nb import datasets
from copa_nb.tables.objectives import resolve_objectives
from tests import asked

OPENINGS = 200
MOVES = 120
_PATIENCE = 25  # times 20 ms
_COLUMNS = ["move", "rows × objectives", "busy (ms)", "median (ms)", "95% (ms)"]
_LINE = "{:20s} {:12s} busy {:6.1f} ms   median {:6.1f} ms   95% {:6.1f} ms"
# Each input event is timed from the start of its handlers until the page's thread has painted the frame that shows what
# it changed: a task that was queued in the last callback of that frame runs right after.
_TIMED = """() => {
  const view = document.querySelector(".copa-view");
  const channel = new MessageChannel();
  let [started, before] = [0, ""];
  window.times = [];
  channel.port1.onmessage = () => window.times.push(performance.now() - started);
  const changed = () => view.dataset.revision !== before;
  const wait = () => requestAnimationFrame(() => (changed() ? channel.port2.postMessage(0) : wait()));
  document.addEventListener("input", () => ([started, before] = [performance.now(), view.dataset.revision]), true);
  document.addEventListener("input", wait);
}"""
_STEP = 0.0373


def _models(rows, columns):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(rows, columns)).cumsum(axis=1), columns=list("abcdefg"[:columns]))
    return frame.moo.define(dict.fromkeys(frame, "max"))


def _search(rows):
    rng = np.random.default_rng(0)
    quality = rng.normal(size=(rows, 2))
    frame = pd.DataFrame(np.column_stack([quality, quality + 0.3 * rng.normal(size=(rows, 2))]))
    return frame.set_axis(["val_a", "val_b", "test_a", "test_b"], axis="columns")


def _explore_gap(rows):
    return asked.gap(_search(rows), objectives={"a": "max", "b": "max"}).explore()


CASES = {
    "weight, p = ∞": ("Weight of {last}", lambda frame: frame.moo.explore()),
    "weight, p = 2": ("Weight of {last}", lambda frame: frame.moo.explore(p=2)),
    "allowed range": ("Lowest allowed {last}", lambda frame: frame.moo.explore()),
}
SIZES = {
    "40 × 7": lambda: _models(40, 7),
    "2,148 × 7": datasets.load_open_llm_leaderboard,
    "100,000 × 5": lambda: _models(100_000, 5),
}


def _measure(browser, explorer, name, count):
    with tempfile.TemporaryDirectory() as folder, explorer:
        return measure_page(browser, explorer.export_html(Path(folder) / "page.html"), name, count)


def measure_page(browser, path, name, count):
    """Drag the handle of a slider from one end to the other and back, as a mouse does."""
    page = browser.new_page(viewport={"width": 1400, "height": 1200})
    page.set_default_timeout(120_000)
    page.goto(path.as_uri())
    page.wait_for_selector(".copa-view[data-revision]", state="attached")
    page.wait_for_timeout(1500)
    slider = page.get_by_label(name, exact=True)
    share = float(slider.evaluate("(input) => (input.value - input.min) / (input.max - input.min)"))
    box = slider.bounding_box()

    def point(share):
        return box["x"] + 8 + share * (box["width"] - 16), box["y"] + box["height"] / 2

    thread = page.context.new_cdp_session(page)

    def mouse(kind, share):
        x, y = point(share)
        thread.send("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1})

    mouse("mousePressed", share)
    page.wait_for_timeout(300)
    page.evaluate(_TIMED)
    thread.send("Performance.enable", {"timeDomain": "threadTicks"})
    before, times = _busy(thread), []
    for move in range(1, count + 1):
        mouse("mouseMoved", abs((share + move * _STEP + 1) % 2 - 1))
        page.wait_for_timeout(40)
        # A move within the step of a slider changes nothing, and no picture is drawn.
        for _ in range(_PATIENCE):
            if page.evaluate("() => window.times.length") > len(times):
                break
            page.wait_for_timeout(20)
        times = page.evaluate("() => window.times")
    busy = 1000 * (_busy(thread) - before) / len(times)
    page.close()
    return busy, np.median(times), np.percentile(times, 95)


def _busy(thread):
    """Processor time of the page's thread in seconds, which does not depend on what else the computer does."""
    metrics = thread.send("Performance.getMetrics")["metrics"]
    return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")


def page_latencies():
    """Time moves in the page; one line per move and size."""
    from tests.browser.lab import missing, running_browser

    if reason := missing():
        print(f"browser: {reason}")
        return pd.DataFrame()
    lines = []
    with running_browser() as browser:
        for size, make in SIZES.items():
            frame = make()
            count = MOVES if len(frame) < 10_000 else MOVES // 3
            last = resolve_objectives(frame).titles[-1]
            for move, (name, explore) in CASES.items():
                lines.append([move, size, *_measure(browser, explore(frame), name.format(last=last), count)])
                print(_LINE.format(*lines[-1]))
        for rows in (500, 100_000):
            lines.append(
                [
                    "budget of the gap",
                    f"{rows:,} × 2",
                    *_measure(browser, _explore_gap(rows), "Evaluations so far", MOVES),
                ]
            )
            print(_LINE.format(*lines[-1]))
    return pd.DataFrame(lines, columns=_COLUMNS).round(1)


def memory():
    """Open and close explorers; show how much the process has grown."""
    from ipywidgets.widgets.widget import _instances

    frame = datasets.load_open_llm_leaderboard()
    for opening in range(OPENINGS + 1):
        with frame.moo.explore() as explorer:
            explorer.set_weight("co2_kg", 0.5)
        if opening in (0, OPENINGS // 4, OPENINGS // 2, OPENINGS):
            del explorer
            gc.collect()
            print(f"after {opening:3d} openings: {_resident() / 1e6:7.1f} MB resident, {len(_instances)} widgets alive")


def _resident():
    with open("/proc/self/statm") as pages:
        return int(pages.read().split()[1]) * 4096


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--csv", type=Path, help="file for the table of latencies")
    chosen = parser.parse_args()
    measured = page_latencies()
    if chosen.csv:
        measured.to_csv(chosen.csv, index=False)
    memory()
