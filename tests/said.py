"""What results say, by the names of their sentences and what these are filled with."""


def said_by(result):
    """The parts of a result by the names of their sentences; the first where it says several of one kind."""
    return {part["say"]: part for part in reversed(result.facts()["said"])}


def sentence(result, name):
    """The part that a result says by this name, without its name."""
    return {key: value for key, value in said_by(result)[name].items() if key != "say"}
