# `make report` regenerates the reports of the four papers, `make test` runs the tests of a few minutes, `make test-all`
# the rest. All set up .venv first and need nothing but Python 3.11 or newer and a package index.
PYTHON ?= python3
OUT ?= reports
JOBS ?= 2
BIN = .venv/bin
# pip compiles one file of ninety packages after the other; on all processors it takes half as long. A file that does not
# compile, as some that packages test themselves with, is none that is imported.
INSTALL = $(BIN)/python -m pip install --quiet --no-compile --editable
COMPILE = $(BIN)/python -m compileall -q -j 0 .venv copa_nb >/dev/null 2>&1 || true

.PHONY: report test test-all coverage mutation lint bench docs clean

report: .venv/.installed
	$(BIN)/copa-nb paper --out $(OUT) --jobs $(JOBS)

test: .venv/.installed-test
	$(BIN)/python -m pytest -m "not slow" -n $(JOBS) --dist worksteal $(PYTEST_OPTIONS)

# The rest: every notebook and report, browsers, kills, wheels.
test-all: .venv/.installed-test
	$(BIN)/python -m pytest -m slow -n $(JOBS) --dist worksteal $(PYTEST_OPTIONS)

# Lines and branches of the rooms that compute; fails under 95 %. Numba's compiled functions run as Python here,
# to be seen: numpy then warns where their integers wrap around, as they are meant to, and the tests marked `compiled`,
# which would take minutes each, are left to `make test`.
COMPUTE = pareto selection generalization significance partial_orders
coverage: .venv/.installed-test
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest $(addprefix tests/,$(COMPUTE)) -n $(JOBS) --dist worksteal -m "not compiled" \
		-W "ignore:overflow encountered in scalar:RuntimeWarning" \
		$(addprefix --cov=copa_nb.,$(COMPUTE)) --cov-branch --cov-fail-under=95 \
		--cov-report=term-missing:skip-covered $(COVERAGE_OPTIONS)

# Does a test notice a small change of MODULE (a file, a room, or . for all)? A random sample of SAMPLE changes
# (0 for all), made by Cosmic Ray in copies of the repository, against TESTS.
MODULE ?= selection/arrays/ranks.py
SAMPLE ?= 60
mutation: .venv/.installed-test .venv/.installed-mutation
	$(BIN)/python -m tests.mutation $(MODULE) --sample $(SAMPLE) --jobs $(JOBS) $(if $(TESTS),--tests $(TESTS))

lint: .venv/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/.installed-bench
	$(BIN)/python tests/benchmarks/run.py

.venv/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "copa_nb needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv .venv

.venv/.installed: .venv/pyvenv.cfg pyproject.toml
	$(INSTALL) .
	@$(COMPILE)
	@touch $@

# What an extra needs besides: .venv/.installed-test, -bench, -docs, -mutation.
.venv/.installed-%: .venv/pyvenv.cfg pyproject.toml
	$(INSTALL) '.[$*]'
	@$(COMPILE)
	@touch $@ .venv/.installed

docs: .venv/.installed-docs
	$(BIN)/sphinx-build --fail-on-warning --quiet -b html docs docs/_build/html

clean:
	rm -rf docs/_build docs/_generated .venv reports build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
