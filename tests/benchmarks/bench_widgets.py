"""Slider to picture in the kernel and in the browser, many rows, and memory after many openings.

python tests/benchmarks/bench_widgets.py            # kernel and memory
python tests/benchmarks/bench_widgets.py --browser  # also JupyterLab in headless Chromium
"""

import argparse
import gc
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[2]))

import copa_nb  # noqa: F401
from copa_nb import datasets

OPENINGS = 500
MOVES = 200
# One key press after the other on the slider of the last weight; each is timed until the picture is drawn.
_TIMED = """() => {
  const root = document.querySelector('.copa-view');
  const handle = [...document.querySelectorAll('.copa-row .noUi-handle')].at(-1);
  const times = [];
  let started = 0;
  const press = () => {
    const key = times.length % 120 < 60 ? 'ArrowRight' : 'ArrowLeft';
    started = performance.now();
    handle.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  };
  const watch = new MutationObserver(() => {
    times.push(performance.now() - started);
    if (times.length < COUNT) setTimeout(press, 50);
    else { watch.disconnect(); window.copaTimes = times; }
  });
  watch.observe(root, { attributes: true, attributeFilter: ['data-revision'] });
  press();
}"""


def _report(what, seconds):
    milliseconds = np.asarray(seconds) * 1e3
    print(f"{what:58s} median {np.median(milliseconds):7.1f} ms   95 % {np.percentile(milliseconds, 95):7.1f} ms")


def _large(rows):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(rows, 7)).cumsum(axis=1), columns=list("abcdefg"))
    return frame.moo.define(dict.fromkeys("abcdefg", "max"))


def _moves(explorer, count):
    slider = explorer._weights[-1]
    seconds = []
    for step in range(count):
        start = time.perf_counter()
        slider.value = round((step * 37 % 97) / 100, 2)
        seconds.append(time.perf_counter() - start)
    return seconds


def kernel():
    """Time a move of a slider until its scene has been sent."""
    for name, frame in (("2,148 x 7", datasets.load_open_llm_leaderboard()), ("50,000 x 7", _large(50_000))):
        for p in (1, 2, "inf"):
            start = time.perf_counter()
            with frame.moo.explore(p=p) as explorer:
                opened = time.perf_counter() - start
                _report(
                    f"kernel, {name}, p = {p} (opens in {opened:.2f} s)",
                    _moves(explorer, MOVES if len(frame) < 9999 else 20),
                )


def memory():
    """Open and close explorers; show how much the process has grown."""
    from ipywidgets.widgets.widget import _instances

    frame = datasets.load_open_llm_leaderboard()
    for opening in range(OPENINGS + 1):
        with frame.moo.explore() as explorer:
            explorer.set_weight("co2_kg", 0.5)
        if opening in (0, 50, 100, OPENINGS // 2, OPENINGS):
            del explorer
            gc.collect()
            print(f"after {opening:3d} openings: {_resident() / 1e6:7.1f} MB resident, {len(_instances)} widgets alive")


def _resident():
    with open("/proc/self/statm") as pages:
        return int(pages.read().split()[1]) * 4096


def browser():
    """Time a key press on a slider until the picture is drawn, in JupyterLab."""
    from tests.browser.lab import missing, open_notebook, running_browser, running_lab

    if reason := missing():
        print(f"browser: {reason}")
        return
    with tempfile.TemporaryDirectory() as home, running_lab(Path(home)) as lab, running_browser() as chromium:
        for name, make in (
            ("2,148 x 7", "datasets.load_open_llm_leaderboard()"),
            ("50,000 x 7", "pd.DataFrame(np.random.default_rng(0).normal(size=(50_000, 7)).cumsum(axis=1), "
             "columns=list('abcdefg')).moo.define(dict.fromkeys('abcdefg', 'max'))"),
        ):  # fmt: skip
            with open_notebook(lab, chromium, f"bench-{name[:2]}") as notebook:
                page = notebook.run(
                    f"import copa_nb, numpy as np, pandas as pd\nfrom copa_nb import datasets\nframe = {make}\n"
                    "explorer = frame.moo.explore()\nexplorer"
                )
                page.wait_for_selector(".copa-view[data-revision]", state="attached")
                page.wait_for_timeout(1500)
                page.evaluate(_TIMED.replace("COUNT", "120" if name.startswith("2") else "30"))
                page.wait_for_function("() => window.copaTimes", timeout=120_000)
                _report(f"browser, {name}, p = inf", np.array(page.evaluate("() => window.copaTimes")) / 1e3)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--browser", action="store_true", help="also measure in JupyterLab")
    chosen = parser.parse_args()
    kernel()
    memory()
    if chosen.browser:
        browser()
