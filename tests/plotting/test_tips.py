"""Tips: what pages show under the pointer."""

import matplotlib.pyplot as plt

from copa_nb.plotting import style


def test_a_tip_leaves_the_label_of_a_mark_to_whoever_draws_it():
    ax = plt.figure().add_subplot()
    line = ax.plot([0, 1], label="shown")[0]
    style.set_tip(line, "two  points", "of\na line")
    assert style.tip_of(line) == ["two points", "of a line"]
    assert line.get_label() == "shown"
    assert style.tip_of(ax.plot([1, 0], label="_tip\nno tip")[0]) == []
