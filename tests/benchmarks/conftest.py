"""The programs here measure: they are run, and what tests them imports them."""

collect_ignore_glob = ["bench_*.py", "kernel_probe.py", "run.py"]
