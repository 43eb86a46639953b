"""Examples in docstrings are run where what they need is installed."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("dask") and find_spec("distributed") else ["copa_nb/dask/*"]


try:
    from hypothesis import HealthCheck, settings
except ImportError:
    pass
else:
    # How long an example takes depends on what else the machine does; a test must not.
    settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("suite")
