# Needs Python 3.11+ and make; everything else goes into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Three at once on two cores: a third of the time, a test waits for a disk, a timer or another process.
PYTEST := $(BIN)/python -m pytest -n 3
# Every process of a test would compile the program anew where bytecode may not be written; here it stays out of the tree.
unexport PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX := $(CURDIR)/$(VENV)/bytecode

.PHONY: demo quick test check campaign campaign-edits campaign-providers campaign-answers campaign-reviews campaign-http
.PHONY: campaign-tenants campaign-postgres campaign-xss mutants soak
.PHONY: bench report docs screenshots format clean package smoke
.DELETE_ON_ERROR:

demo: $(VENV)/.installed  ## install, and show Memoro on sample notes
	@$(BIN)/memoro demo .demo

quick: $(VENV)/.dev  ## unit and contract tests, in less than a minute
	$(PYTEST) --quick

test: $(VENV)/.dev  ## all tests, with the short versions of the campaigns
	$(PYTEST)

check: $(VENV)/.dev  ## format, lint, types, then all tests: what CI runs
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/mypy
	$(PYTEST)

campaign: $(VENV)/.dev  ## the long fault and fuzz campaigns
	MEMORO_CAMPAIGN=1 $(PYTEST) -m campaign

campaign-edits: $(VENV)/.dev  ## 10,000 random edits by a person, against agents and syncs
	MEMORO_CAMPAIGN=1 $(BIN)/python -m pytest -s tests/test_person_edits.py

campaign-providers: $(VENV)/.dev  ## 10,000 faulted calls to models, searches meanwhile, and 100 kills during batch jobs
	$(BIN)/python -m benchmarks faults

campaign-answers: $(VENV)/.dev  ## 1,000 malformed, hostile and truncated answers of a language model: nothing may change
	$(BIN)/python -m benchmarks answers

campaign-reviews: $(VENV)/.dev  ## 200 kills while proposals of every kind are accepted
	MEMORO_CAMPAIGN=1 $(BIN)/python -m pytest -s tests/test_review_kill.py

campaign-http: $(VENV)/.dev  ## 1,000 requests to each path and method of the HTTP API: no answer may be 5xx
	MEMORO_CAMPAIGN=1 $(BIN)/python -m pytest -s tests/test_api_cases.py

campaign-tenants: $(VENV)/.dev  ## 10,000 requests of 50 tenants with hostile ids and SQL, row-level security the only guard
	MEMORO_CAMPAIGN=1 $(BIN)/python -m pytest -s tests/test_tenant_campaign.py

campaign-postgres: $(VENV)/.dev  ## 3 nodes × 8 writers × 1,000 writes, with kills of nodes and crashes of Postgres
	MEMORO_CAMPAIGN=1 $(BIN)/python -m pytest -p no:xdist -s tests/test_shared_campaign.py tests/test_outbox.py

campaign-xss: $(VENV)/.dev  ## 300 hostile texts in every place that the page shows, in a real browser: none may run
	MEMORO_CAMPAIGN=1 $(BIN)/python -m pytest -s tests/test_page_hostile.py

mutants: $(VENV)/.dev  ## 75 small wrong changes to the rules: the tests of their area must notice nine in ten
	$(BIN)/python -m tools.mutants $(MUTANTS)

report: $(VENV)/.dev  ## everything that benchmarks/RESULTS.md reports, on this commit: hours
	$(BIN)/python -m benchmarks.report .report

soak: $(VENV)/.dev  ## two hours of `memoro serve` on a fast clock, under everything at once: nothing may grow or get lost
	$(BIN)/python -m benchmarks soak

bench: $(VENV)/.dev  ## measure, and print tables to compare with benchmarks/RESULTS.md
	$(BIN)/python -m benchmarks

docs: $(VENV)/.dev  ## write the generated references anew
	$(BIN)/python -m tests.test_docs

package: $(VENV)/.dev  ## build wheel and sdist of this commit into dist/, twice, and compare their bytes
	$(BIN)/python -m tools.package

smoke: $(VENV)/.dev  ## install the wheel into empty environments, with each extra, and try it there; needs a package index
	$(BIN)/python -m tools.smoke

screenshots: $(VENV)/.dev  ## take the pictures of the page and of hosts anew, of an invented home; needs Chromium and tmux
	$(BIN)/python -m tools.screenshots
	$(BIN)/python -m tools.host_pictures

format: $(VENV)/.dev
	$(BIN)/ruff format src tests benchmarks
	$(BIN)/ruff check --fix src tests benchmarks

clean:
	rm -rf $(VENV) .demo build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("Memoro needs Python 3.11 or later; name one with PYTHON=…") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.installed
