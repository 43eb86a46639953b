# `make report` makes the reports of the five papers, `make test` runs the tests that take a few minutes, `make test-all`
# runs the slow ones. Each sets up .venv first and needs nothing but Python 3.11 or newer and a package index.
PYTHON ?= python3
OUT ?= reports
JOBS ?= 2
BIN = .venv/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
# pip compiles the files of ninety packages one after the other; on all processors that takes half as long. Files that do
# not compile, such as test files of some packages, are never imported.
INSTALL = $(BIN)/python -m pip install --quiet --no-compile --editable
COMPILE = $(BIN)/python -m compileall -q -j 0 .venv copa_nb >/dev/null 2>&1 || true

.PHONY: report test test-core test-all coverage mutation lint generate lowest nightly wheel bench size docs clean

# With the experiments, so that `gap/experiment` runs its search again, and with numba, as depths take long without it.
report: .venv/.installed-experiments,fast
	$(BIN)/copa-nb run papers --out $(OUT) --jobs $(JOBS)

test: .venv/.installed-test
	$(BIN)/python -m pytest -m "not slow" -n $(JOBS) --dist worksteal $(PYTEST_OPTIONS)

# The methods alone, in about a minute on two cores: arrays and functions against definitions, other packages and printed
# numbers; no notebook, report, explorer or picture, and nothing that is simulated at length or compiled.
METHODS = arrays pareto ranking selection comparisons significance generalization partial_orders stochastic_dominance
NOT_CORE = plots distributions compiled metamorphic rates needed forecast power
test-core: .venv/.installed-test
	$(BIN)/python -m pytest $(METHODS:%=tests/%) $(NOT_CORE:%=--ignore-glob="*/test_%*.py") -m "not slow" -n $(JOBS) --dist worksteal $(PYTEST_OPTIONS)

# The slow tests: every notebook and report, browsers, killed processes, wheels.
test-all: .venv/.installed-test
	$(BIN)/python -m pytest -m slow -n $(JOBS) --dist worksteal $(PYTEST_OPTIONS)

# Lines and branches of all packages but those that pyproject.toml leaves out; fails under 95%.
ROOMS = arrays tables results pareto ranking comparisons selection generalization significance partial_orders stochastic_dominance \
	streams analyses claims papers plots contract
FILES = accessor checks text
coverage: .venv/.installed-test
	$(BIN)/python -m pytest $(addprefix tests/,$(ROOMS)) $(FILES:%=tests/test_%.py) \
		-n $(JOBS) --dist worksteal -m "not slow" \
		--cov --cov-fail-under=95 --cov-report=term-missing:skip-covered $(COVERAGE_OPTIONS)

# Does a test detect a small change of MODULE (a file, a package, or . for all)? A random sample of SAMPLE changes
# (0 for all), made by Cosmic Ray in copies of the repository, against TESTS.
MODULE ?= selection/arrays/ranks.py
SAMPLE ?= 60
mutation: .venv/.installed-test .venv/.installed-mutation
	$(BIN)/python -m tests.mutation $(MODULE) --sample $(SAMPLE) --jobs $(JOBS) $(if $(TESTS),--tests $(TESTS))

lint: .venv/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/deptry .
	$(BIN)/lint-imports
	$(BIN)/python -m tests.stubs --check

# Generated from the code: stubs for editors, the list of notebooks.
generate: .venv/.installed-test
	$(BIN)/python -m tests.stubs
	$(BIN)/python -m tests.generated

# Whether the lowest versions that pyproject.toml allows work, in an environment that is made for it.
lowest:
	rm -rf .venv-lowest && $(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/pip install --quiet uv
	.venv-lowest/bin/uv pip install --quiet --python .venv-lowest/bin/python --resolution lowest-direct '.[excel,fast,parquet]' 'pytest>=8.2'
	.venv-lowest/bin/python -m tests.lowest
	rm -rf .venv-lowest

# The fast tests with the wheels that numpy, pandas and scipy build every night (SPEC 4), as far as numba allows them.
NIGHTLY = https://pypi.anaconda.org/scientific-python-nightly-wheels/simple
nightly:
	rm -rf .venv-nightly && $(PYTHON) -m venv .venv-nightly
	.venv-nightly/bin/pip install --quiet uv
	.venv-nightly/bin/uv pip install --quiet --python .venv-nightly/bin/python --index $(NIGHTLY) \
		--index-strategy unsafe-best-match --editable '.[test]' 'numpy>=0.dev0' 'pandas>=0.dev0' 'scipy>=0.dev0'
	.venv-nightly/bin/python -m pytest -m "not slow" -n $(JOBS) --dist worksteal $(PYTEST_OPTIONS)
	rm -rf .venv-nightly

# What a release consists of, in `dist`.
wheel: .venv/pyvenv.cfg
	$(BIN)/python -m pip install --quiet 'build>=1.2'
	$(BIN)/python -m build

bench: .venv/.installed-bench
	$(BIN)/python -m benchmarks.run

size: .venv/.installed
	$(BIN)/python -m tests.size

.venv/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "copa_nb needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv .venv

.venv/.installed: .venv/pyvenv.cfg pyproject.toml
	$(INSTALL) .
	@$(COMPILE)
	@touch $@

# The extras: .venv/.installed-test, -bench, -docs, -mutation, or several, as in .venv/.installed-experiments,fast.
.venv/.installed-%: .venv/pyvenv.cfg pyproject.toml
	$(INSTALL) '.[$*]'
	@$(COMPILE)
	@touch $@ .venv/.installed

docs: .venv/.installed-docs
	$(BIN)/sphinx-build --fail-on-warning --quiet -b html docs docs/_build/html

clean:
	rm -rf docs/_build docs/_generated .venv reports build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
