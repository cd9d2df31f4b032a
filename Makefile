# Everything a user or a developer runs. `make` alone shows the targets.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help install demo demo-model test test-all test-slow lint bench clean requirements

# A system interpreter first: sandboxes see /usr, and every user may run it.
PYTHON ?= $(firstword $(wildcard /usr/bin/python3.14 /usr/bin/python3.13 /usr/bin/python3.12 /usr/bin/python3.11) python3)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
WORKERS ?= 2
PYTEST := PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

help:  ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | while IFS=$$'\t' read -r name what; do printf '  make %-14s %s\n' "$$name" "$$what"; done

install: $(READY)  ## Virtual environment and system packages (when root)

$(READY): requirements/dev.txt pyproject.toml scripts/system_packages.sh
	@scripts/system_packages.sh "$(PYTHON)"
	@test -x $(BIN)/python || { echo "making $(VENV) with $(PYTHON)"; "$(PYTHON)" -m venv $(VENV); }
	@echo "installing packages into $(VENV)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: $(READY)  ## Score the bundled suite's submissions and print the tables (offline once it ran)
	@$(BIN)/repoproof demo

demo-model:  ## Let a model answer the bundled suite, and score it: GGUF=file to serve, or BASE_URL=server
	$(if $(GGUF)$(BASE_URL),,$(error which model? make demo-model GGUF=path/to/model.gguf, or BASE_URL=http://host:port/v1 [MODEL=id]))
	@$(MAKE) --no-print-directory $(READY) $(if $(GGUF),$(VENV)/.local)
	@$(BIN)/python scripts/demo_model.py --gguf "$(GGUF)" --base-url "$(BASE_URL)" --model "$(MODEL)"

$(VENV)/.local: $(READY) requirements/local.txt
	@echo "installing what serves a local model into $(VENV)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/local.txt
	@touch $@

test: $(READY)  ## All tests but the slow ones (under 10 minutes)
	@$(PYTEST) -m "not slow"

test-all: test test-slow  ## The slow ones as well

test-slow: $(READY)  ## Only the slow ones
	@$(PYTEST) -m slow

lint: $(READY)  ## ruff, pyright, import contracts
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/pyright && $(BIN)/lint-imports

bench: $(READY)  ## Overhead, bookkeeping and what asking a model costs, as ratios
	@$(BIN)/python benchmarks/overhead.py
	@$(BIN)/python benchmarks/asking.py

requirements: $(READY)  ## Resolve requirements/*.txt anew, by hash, without download addresses
	@scripts/lock_requirements.sh

clean:  ## Remove what the targets above made here (caches of environments stay: `repoproof gc`)
	@rm -rf $(VENV) runs dist build .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
