"""Examples in docstrings are run where what they need is installed."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("dask") and find_spec("distributed") else ["copa_nb/dask/*"]
