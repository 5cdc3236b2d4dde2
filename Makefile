# Everything runs from .venv, which the first target that needs it makes. A fresh machine needs
# make, git and Python 3.11 or later; `make e2e` also needs Go, Node 20 and Chromium, `make page` Node,
# `make test-postgres` PostgreSQL.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.NOTPARALLEL:
.DEFAULT_GOAL := help

BIN := .venv/bin
STAMP := .venv/.made-from-pyproject
ARGS ?=
HYPOTHESIS ?= quick
WORKERS ?= auto
MUTANTS ?= 60
MUTANTS_SEED ?= 1
LEAST_KILLED ?= 0.6
DURATION_SECONDS ?= 60
PYTEST := $(BIN)/python -m pytest

.PHONY: help venv demo test test-postgres soak search prove lint format e2e crds page bench clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

venv: $(STAMP) ## Make .venv with warmlog and all that its gates need

# The bundled pip of Python 3.11 knows no dependency groups, hence the second line of pip.
$(STAMP): pyproject.toml
	@python=; for each in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11; do \
	    if "$$each" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	        python=$$each; break; fi; done; \
	if [ -z "$$python" ]; then \
	    echo 'warmlog needs Python 3.11 or later: install it, or name it with PYTHON=' >&2; exit 1; fi; \
	if ! "$$python" -c 'import ensurepip, venv' 2>/dev/null; then \
	    echo "$$python cannot make environments: install its venv package (python3-venv)" >&2; \
	    exit 1; fi; \
	[ -x $(BIN)/python ] || "$$python" -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable '.[postgres]' --group dev
	@touch $@

demo: $(STAMP) ## Warm a simulated cluster, live (ARGS="--nodes 20 --seed 7")
	$(BIN)/warmlog demo $(ARGS)

test: $(STAMP) ## Run tests and property tests (ARGS="-k words", WARMLOG_TEST_POSTGRES=URL)
	$(PYTEST) -q -n $(WORKERS) --dist loadgroup --hypothesis-profile=$(HYPOTHESIS) \
	    -m "not prove" --ignore=tests/e2e tests property_tests $(ARGS)

test-postgres: $(STAMP) ## The same on a PostgreSQL server of its own, which ends with the tests
	tests/postgres.sh $(MAKE) test

soak: $(STAMP) ## Play simulated worlds (DURATION_SECONDS=1800, WORKERS=2, ARGS="--first-seed 7")
	$(BIN)/python -m property_tests.playing.soak $(DURATION_SECONDS) --workers $(WORKERS) $(ARGS)

search: $(STAMP) ## Run the property tests with a hundred times the examples
	$(PYTEST) -q -n $(WORKERS) --hypothesis-profile=soak --timeout=0 property_tests $(ARGS)

prove: $(STAMP) ## Explore small worlds whole, crash at every position, put faults back, mutate, build the image
	$(BIN)/python -m property_tests.exploring
	$(BIN)/python -m property_tests.continuing
	$(BIN)/python -m property_tests.mutating.putting_back
	$(PYTEST) -q -n $(WORKERS) --dist loadgroup -m prove --ignore=tests/e2e tests property_tests
	$(BIN)/python -m property_tests.mutating --sample $(MUTANTS) --seed $(MUTANTS_SEED) \
	    --least $(LEAST_KILLED)

lint: $(STAMP) ## Check style, types, layers, and that generated files are fresh
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(PYTEST) -q -p no:randomly tests/test_generated.py

format: $(STAMP) ## Format, and mend what ruff can mend
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

# A worker for each group of tests/e2e/conftest.py, on control planes of its own: most of them wait.
e2e: $(STAMP) ## Run against a real control plane, built first when it is missing (needs Go)
	$(BIN)/python -m tests.e2e.controlplane.building
	$(PYTEST) -q -m e2e -n 4 --dist loadgroup --reruns 1 tests/e2e $(ARGS)

crds: $(STAMP) ## Generate crds/ from the adapters' schema
	$(BIN)/python -m adapters.kubernetes.generating

page: ## Build adapters/timeline/page.html out of page/ (needs Node 20)
	npm ci --prefix page
	npm run --prefix page lint
	npm run --prefix page build

bench: $(STAMP) ## Run each benchmarks/bench_*.py (ARGS= is handed to every one)
	@for each in $(basename $(notdir $(wildcard benchmarks/bench_*.py))); do \
	    echo "== $$each"; $(BIN)/python -m "benchmarks.$$each" $(ARGS); done

clean: ## Remove .venv and all that the targets made
	rm -rf .venv build out page/node_modules ./*.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis \
	    .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
