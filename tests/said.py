"""What results say, by the names of their sentences and what these are filled with."""


def said_by(result):
    """The parts of a result by the names of their sentences, each of which it says once."""
    parts = result.facts()["said"]
    found = {part["say"]: part for part in parts}
    assert len(found) == len(parts), [part["say"] for part in parts]
    return found


def sentence(result, name):
    """The part that a result says by this name, without its name."""
    return {key: value for key, value in said_by(result)[name].items() if key != "say"}
