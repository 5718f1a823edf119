# Thin on purpose: every line below can be typed by hand (Windows: README).

PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/bin/python
PIP    := $(PY) -m pip --disable-pip-version-check

# Each is touched when the environment holds what its requirements file asks for.
RUN    := $(VENV)/.installed
DEV    := $(VENV)/.installed-dev

MODEL  ?= qwen2.5-coder-1.5b
Q      ?= 上个季度谁卖得最多？给我前五名
ARGS   ?=
FRESH  ?=

# What a person types reaches the program as typed: unexpanded by make, and through
# the environment instead of the shell's quoting.
export QUESTION := $(value Q)
export PYTHONUTF8 := 1

# Notebooks are built and tested with the embedded model, whatever the reader has set.
PINNED := env -u OPENAI_API_KEY -u OPENAI_BASE_URL -u OPENAI_MODEL -u TOOLPARAM_GGUF \
	-u TOOLPARAM_MODEL -u TOOLPARAM_RECORDINGS PYTHONHASHSEED=0
REPLAY := $(PINNED) TOOLPARAM_MODE=replay
ROOT   := $(if $(filter 0,$(shell id -u)),--allow-root)
LAB    := $(VENV)/bin/jupyter lab $(ROOT) \
	--LabApp.default_url=/lab/tree/notebooks/00_start_here.ipynb
NBVAL  := $(REPLAY) PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 $(PY) -m pytest -q \
	-p pytest_timeout -p nbval.plugin -p no:cacheprovider \
	--nbval --nbval-current-env --nbval-cell-timeout=60 \
	--nbval-sanitize-with=notebooks/nbval_sanitize.cfg

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help lab demo model test lint types unit nbval browser notebooks record bench clean

help: ## list what make can do
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

lab: $(RUN) ## open JupyterLab at the first notebook; ARGS=--no-browser on a server
	@if [ "$$TOOLPARAM_MODE" != replay ] && [ -z "$$TOOLPARAM_GGUF$$OPENAI_MODEL" ] && \
		! $(PY) -m toolparam_lite.models fetch; then \
		echo; \
		echo "The model's weights are not here (the reason is above). JupyterLab opens all the"; \
		echo "same and answers from recordings. To bring the weights later: make model"; \
		echo; \
		export TOOLPARAM_MODE=replay; \
	fi; \
	exec $(LAB) $(ARGS)

demo: $(RUN) ## show the five steps for one sentence, live: make demo Q="…"
	@$(PY) -m toolparam_lite "$$QUESTION"

model: $(RUN) ## bring a model's weights: make model MODEL=qwen2.5-coder-0.5b
	$(PY) -m toolparam_lite.models fetch $(MODEL)

test: lint types unit nbval ## run everything that needs no model and no network

lint: $(DEV) ## pip check, ruff check, ruff format --check
	@echo "== lint"
	$(PIP) check
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

types: $(DEV) ## mypy
	@echo "== types"
	$(VENV)/bin/mypy

unit: $(DEV) ## pytest; ARGS="-k fill" to choose
	@echo "== unit tests"
	$(PY) -m pytest -q $(ARGS)

nbval: $(DEV) ## run every notebook from recordings and compare with its saved outputs
	@echo "== notebooks"
	@if [ -z "$(wildcard notebooks/*.ipynb notebooks/solutions/*.ipynb)" ]; then \
		echo "no notebooks yet"; \
	else \
		$(NBVAL) notebooks; \
	fi

browser: $(DEV) ## drive JupyterLab in Chromium; pictures go to screenshots/
	@echo "== browser"
	$(PINNED) $(PY) -m pytest -q -m browser -p no:cacheprovider $(ARGS) tests/browser

notebooks: $(DEV) ## build learner copies from the masters, run all in replay, save the outputs
	$(VENV)/bin/ruff check --fix notebooks
	$(VENV)/bin/ruff format notebooks
	$(PY) notebooks/build.py generate
	$(REPLAY) $(PY) notebooks/build.py execute
	$(PY) notebooks/build.py table
	$(PY) notebooks/build.py check

record: $(DEV) ## ask the embedded model what the notebooks ask; FRESH=1 forgets old replies
	$(PY) -m toolparam_lite.models fetch $(MODEL)
	$(if $(FRESH),rm -f data/recordings/*.jsonl)
	$(PINNED) TOOLPARAM_MODE=record $(PY) notebooks/build.py execute
	$(MAKE) notebooks

bench: $(DEV) ## run the benchmarks
	$(PY) -m benchmarks $(ARGS)

clean: ## remove the environment and caches; recordings and weights stay
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, this is " + sys.version.split()[0] + "; try: make PYTHON=python3.11 …" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(RUN): requirements.txt | $(PY)
	@echo "installing requirements.txt into $(VENV): some minutes, 1.2 GB of disk"
	$(PIP) install --quiet -r requirements.txt
	@touch $@

$(DEV): requirements.txt requirements-dev.txt | $(PY)
	@echo "installing requirements.txt and requirements-dev.txt into $(VENV): some minutes"
	$(PIP) install --quiet -r requirements.txt -r requirements-dev.txt
	@touch $(RUN) $@
