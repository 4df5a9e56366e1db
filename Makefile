# Benchwright: `make help` lists what can be done here.
SHELL := /bin/sh
PORT ?= 8501
WORKSPACE ?= demo-workspace
BIN := .venv/bin
# One test process a core.
JOBS ?= -n logical --no-loadscope-reorder
# The trees that decide verdicts: when they change, all submissions and attacks are tried.
JUDGING := evaluator/inside evaluator/session evaluator/scoring

# Compiled modules are kept even where the surroundings forbid it: every session and every test process starts anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup app test lint behaviour test-deep test-corpus check format attacks compare-pandas speed profile chaos pictures lock clean

help: ## List the targets
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 24

setup: ## Create .venv and install everything into it (at once when nothing changed)
	@sh scripts/setup.sh

app: setup ## Start the app on a demo workspace: PORT=8501 WORKSPACE=demo-workspace
	@sh scripts/system_parts.sh
	@exec $(BIN)/benchwright app --demo --port "$(PORT)" --workspace "$(WORKSPACE)"

test: setup ## Everything that must hold: format, lint, types, every behaviour once, with real sessions and a real browser
	@BROWSER_TESTS=1 sh scripts/system_parts.sh $(if $(CI),--require)
	@$(MAKE) --no-print-directory --jobs=2 lint behaviour

lint: setup ## Format, lint, imports, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	nice $(BIN)/lint-imports --no-logo
	nice $(BIN)/pyrefly check --progress-bar no

# What is interrupted leaves no file behind: its test processes are killed before they remove theirs. Where there are 4 GB
# of it, files of tests lie in memory: a disk takes a hundred times as long for each of them.
PYTEST := fast=$$(df -Pk /dev/shm 2>/dev/null | awk 'NR > 1 && $$4 > 4000000 {print $$6}'); \
	export TMPDIR="$$(mktemp -d -p "$${fast:-$${TMPDIR:-/tmp}}")"; trap 'rm -rf "$$TMPDIR"' EXIT; trap 'exit 130' INT TERM; \
	$(BIN)/pytest $(JOBS) -q

behaviour: setup
	@$(PYTEST)

test-deep: setup ## More of the same: all fuzz, other pandas versions, real agent packages, floods; SHARD=k/12 for a part of it
	@export BENCHWRIGHT_DEEP=1; $(PYTEST) -m "deep or hypothesis" --shard $(or $(SHARD),1/1)

test-corpus: setup ## All submissions and attacks; writes tests/deep.lock, the digests of the code that they hold for
	@git diff --quiet HEAD -- $(JUDGING) || { echo "commit $(JUDGING) first" >&2; exit 1; }
	@export BENCHWRIGHT_DEEP=1; $(PYTEST) -m corpus
	git rev-parse $(JUDGING:%=HEAD:%) > tests/deep.lock

check: lint ## The part of the tests that needs no sessions and no browser
	@$(PYTEST) -m "not browser and not kernel and not slow and not deep"

format: setup ## Format the code and mend what the linter can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

attacks: setup ## Try every attack of docs/attacks.md on the real engine, and print how each one went
	@$(BIN)/python -m tests.attacks.table

compare-pandas: setup ## Judge the same random values under pandas 2.0, 2.2 and 3: CASES=4100 SEED=1
	@$(BIN)/python -m tests.environments.compare_pandas --cases $(or $(CASES),4100) --seed $(or $(SEED),1)

speed: setup ## Measure what must be fast, and print the numbers
	@for script in tests/speed/*_speed.py; do \
	  echo "== $$script"; $(BIN)/python $$script || failed="$$failed $$script"; \
	done; test -z "$$failed" || { echo "failed:$$failed"; exit 1; }

chaos: setup ## Kill workers, scheduler and client of a run over a cluster: KILLS=50 SEED=1
	@$(BIN)/python tests/speed/cluster_chaos.py --kills $(or $(KILLS),50) --seed $(or $(SEED),1)

profile: setup ## Print where the time of a run goes, and draw its flame graph
	$(BIN)/python tests/speed/where_time_goes.py

pictures: setup ## Take the README's pictures of the app anew
	BENCHWRIGHT_PICTURES=1 $(BIN)/pytest -q -m browser tests/browser

lock: ## Resolve the dependencies anew into constraints.txt (needs uv)
	uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --no-annotate --quiet --output-file constraints.txt

clean: ## Remove the environment and caches; workspaces stay
	rm -rf .venv .ruff_cache .hypothesis *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
