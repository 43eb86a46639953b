import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex, to_rgb

from copa_nb import datasets, plots
from copa_nb.plotting.pictures import picture_of
from copa_nb.plotting.style import CHOICE, map_of_places, tip_of
from tests.drawing import contrast

MODELS = pd.DataFrame(
    {"acc": [0.9, 0.85, 0.7, 0.6, 0.5], "co2": [9.0, 3.0, 2.0, 1.0, 4.0], "ms": [5.0, 3.0, 4.0, 1.0, 2.0]},
    index=["large", "medium", "small", "tiny", "bad"],
)
TWO = MODELS.moo(acc="max", co2="min")
THREE = MODELS.moo(acc="max", co2="min", ms="min")


@pytest.fixture(scope="module")
def leaderboard():
    return datasets.load_open_llm_leaderboard().moo(co2_kg="min", average="max")


def _bars(ax):
    """Blocks of every bar: their ends and colors; and the ends of the frames."""
    blocks, frames = [], []
    for drawn in ax.collections:
        ends = [(path.vertices[:, 0].min(), path.vertices[:, 0].max()) for path in drawn.get_paths()]
        if len(drawn.get_facecolor()):
            blocks.append((np.array(ends), [to_hex(color) for color in drawn.get_facecolor()]))
        elif to_hex(drawn.get_edgecolor()[0]) == CHOICE.lower():
            frames += ends
    return blocks, frames


def test_a_bar_has_a_block_for_each_row_of_the_path_in_the_color_of_its_place():
    path = THREE.copa().navigate("co2")
    (blocks, *_), _ = _bars(path.plot())
    ends, colors = blocks
    assert ends[0, 0] == 0
    assert ends[-1, 1] == 1
    assert np.allclose(ends[1:, 0], ends[:-1, 1]), "a gap between blocks"
    table = path.table
    assert len(ends) == len(table)
    inside = (ends[:, 0] <= table["importance_from"]) & (table["importance_to"] <= ends[:, 1])
    assert inside.all()
    worse = [(MODELS.loc[THREE.front().index, "co2"] > MODELS.loc[row, "co2"]).sum() for row in table.index]
    assert colors == [to_hex(map_of_places()(place / (len(THREE.front()) - 1))) for place in worse]


def test_the_bars_are_the_paths_of_decisions_on_every_scale_that_fits():
    paths = TWO.copa().navigate("co2").on_all_scales()
    assert list(paths) == ["cdf", "minmax", "relative", "none"]
    for how, path in paths.items():
        pd.testing.assert_frame_equal(path.path, TWO.copa(normalize=how).navigate("co2").path)
        assert path.evenness == TWO.copa(normalize=how).navigate("co2").evenness
    # A path on another scale comes first among its own.
    assert next(iter(TWO.copa(normalize="minmax").navigate("co2").on_all_scales())) == "minmax"
    negative = MODELS.assign(co2=MODELS["co2"] - 2).moo(acc="max", co2="min").copa().navigate("co2")
    assert set(negative.on_all_scales()) < set(paths)


def test_ranks_show_the_whole_gradient_and_the_others_hardly_more_than_one_color(leaderboard):
    path = leaderboard.copa().navigate("co2_kg")
    reach = {how: np.diff(np.quantile(one.places, [0.1, 0.9])).item() for how, one in path.on_all_scales().items()}
    spread = {how: one.evenness for how, one in path.on_all_scales().items()}
    assert max(spread, key=spread.get) == "cdf"
    assert spread["cdf"] > 2 * max(value for how, value in spread.items() if how != "cdf")
    assert reach["cdf"] > reach["minmax"]
    blocks, _ = _bars(path.plot())
    assert len(blocks) == 4
    numbers = {text.get_text() for text in path.plot().texts if text.get_text().isdigit()}
    assert {"13", "29"} <= numbers, "wide blocks have their places"


def test_the_choice_is_framed_where_it_is_made_and_nowhere_else():
    choice = TWO.copa(weights={"co2": 0.4})
    path = choice.navigate("co2")
    ax = path.plot()
    _, frames = _bars(ax)
    ((low, high),) = frames
    chosen = path.path.index[path.path["selected"] == choice.best]
    assert low <= chosen.min()
    assert chosen.max() <= high
    assert [line.get_xdata()[0] for line in ax.lines] == pytest.approx([0.4] * len(ax.lines))
    assert ax.lines
    # The path of one of three weights leads through the choice only where the others are equal.
    uneven = THREE.copa(weights={"co2": 0.5, "ms": 0.4}).navigate("co2").plot()
    assert not uneven.lines
    assert not _bars(uneven)[1]


def test_bars_of_weights_are_what_a_decision_with_these_weights_chooses():
    weights = {"acc": 0.5, "co2": 0.3, "ms": 0.2}
    choice = THREE.copa(weights=weights)
    found = choice.sensitivity(n_weights=50)
    for name, blocks in found.paths.groupby("objective", sort=False):
        others = {other: weight for other, weight in weights.items() if other != name}
        for block in blocks.itertuples():
            middle = (block.low + block.high) / 2
            rest = {other: (1 - middle) * weight / sum(others.values()) for other, weight in others.items()}
            assert THREE.copa(weights={name: middle, **rest}).best == block.selected
    bars, frames = _bars(found.plot())
    assert [len(ends) for ends, _ in bars] == found.paths["objective"].value_counts(sort=False).tolist()
    assert frames == [pytest.approx(tuple(ends)) for ends in found.intervals[["low", "high"]].to_numpy()]
    assert found.paths["place"].between(1, found.n_front).all()


def test_two_weights_that_mirror_each_other_have_one_bar():
    ax = TWO.copa().sensitivity().plot()
    assert len(_bars(ax)[0]) == 1
    assert any(text.get_text().startswith("CO₂") for text in ax.texts)


@pytest.mark.parametrize("narrow", [False, True])
def test_words_stay_in_their_blocks_and_off_the_line_and_can_be_read(leaderboard, narrow):
    result = leaderboard.copa().navigate("co2_kg")
    with plots.report_style(narrow=narrow):
        figure, ax = plots.panels(height=picture_of(type(result).plot, result).height)
        result.plot(ax=ax)
        figure.draw_without_rendering()
        data = ax.transData.inverted()
        blocks = [block for ends, colors in _bars(ax)[0] for block in zip(ends, colors, strict=True)]
        words = [text for text in ax.texts if tip_of(text)]
        assert len(words) == len(blocks)
        for text, ((low, high), color) in zip(words, blocks, strict=True):
            if not text.get_text():
                continue
            box = text.get_window_extent()
            start, end = data.transform([[box.x0, 0], [box.x1, 0]])[:, 0]
            assert low <= start
            assert end <= high
            assert not start < 0.5 < end, "the line of the weight crosses a word"
            colors = [np.array(to_rgb(one)) for one in (text.get_color(), color)]
            assert contrast(*colors) > 3.5
        assert figure.get_tightbbox().x1 <= figure.get_figwidth() + 0.01


def test_a_normalization_that_does_not_fit_is_named():
    with pytest.raises(ValueError, match="`normalizations` holds 'ranks'; those that fit"):
        TWO.copa().navigate("co2").plot(normalizations=["ranks"])


def test_rows_of_small_fronts_have_their_names():
    small = {text.get_text() for text in TWO.copa().navigate("co2").plot().texts}
    assert {"medium", "tiny"} <= small
