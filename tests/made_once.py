"""What takes long to make, made once for all processes that run tests."""

import os

from filelock import FileLock


def made_once(tmp_path_factory, name, make):
    """Return the folder that ``make(empty folder)`` returned, to whichever process came first.

    A failure leaves nothing that another process would take for the whole.
    """
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with FileLock(folder / f"{name}.lock"):
        if not (folder / name).exists():
            make(tmp_path_factory.mktemp(f"unfinished-{name}")).rename(folder / name)
    return folder / name
