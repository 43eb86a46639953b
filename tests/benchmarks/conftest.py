"""The programs here are not modules of a package: they are run, and loaded by what tests them."""

collect_ignore_glob = ["bench_*.py", "kernel_probe.py", "run.py"]
