# Two commands do everything: make demo, make test. See README.
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
SHELL := /bin/sh
PYTHON ?= python3
PY := .venv/bin/python
READY := .venv/.ready
PYTEST := $(PY) -m pytest
# `make … SERVE=0` ends after the reports; `RESET=1` renews the demo's data; `make bench QUICK=1` measures smaller sizes.
SERVE ?= 1
RESET ?= 0
QUICK ?= 0
PORT ?= 8000
# `make test-browser ONLY=tests/browser/test_night.py`: those alone.
ONLY ?=

.PHONY: help setup demo serve worker sealer beat test test-slow test-long test-office test-browser test-all screenshots paint bench lint clean

help:
	@echo "make demo          set up, play a swing shift, reconcile and audit it, then serve (SERVE=0, RESET=1, PORT=8000)"
	@echo "make test          set up, run the tests"
	@echo "make setup serve worker sealer beat bench lint test-slow test-long test-office test-browser screenshots paint clean"

$(READY): requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Pitbook needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Set PYTHON=…")'
	@test -x $(PY) || $(PYTHON) -m venv .venv
	@echo "Installing the pinned requirements …"
	@$(PY) -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $(READY)

setup: $(READY)

demo: setup
	@exec $(PY) manage.py demo --port $(PORT) $(if $(filter 0,$(SERVE)),--no-serve) $(if $(filter 1,$(RESET)),--reset)

serve: setup
	@exec $(PY) manage.py serve --port $(PORT)

worker: setup
	@exec $(PY) -m celery -A casino worker --loglevel INFO --concurrency 2

sealer: setup
	@exec $(PY) -m celery -A casino worker --loglevel INFO --queues seal --pool solo --hostname sealer@%h

beat: setup
	@exec $(PY) -m celery -A casino beat --loglevel INFO

test: setup
	@$(PYTEST) -n auto --dist worksteal -m "not slow and not browser and not office"

test-slow: setup
	@$(PYTEST) -n 2 -m "slow and not long"

test-long: setup
	@$(PYTEST) -n 2 -m "long and not browser"
	@$(PYTEST) -n 2 --hypothesis-profile thorough tests/engine/test_settlement_laws.py tests/casino/test_canonical.py
	@$(PYTEST) -n 2 -m "long and browser"

test-office: setup
	@$(PYTEST) -m office

test-browser: setup
	@$(PYTEST) -n 2 -m "browser and not long" $(ONLY)

paint: setup
	@$(PY) manage.py demo --no-serve
	@$(PY) -m tests.browser.paint

screenshots: setup
	@$(PY) manage.py demo --no-serve
	@$(PY) -m tests.browser.pictures
	@$(PYTEST) tests/browser/picture_consoles.py tests/browser/picture_book.py

test-all: test test-slow test-office test-browser test-long

bench: setup
	@$(PY) -m pip install --quiet --disable-pip-version-check -r bench/requirements.txt
	@$(PY) -m bench $(if $(filter 1,$(QUICK)),--quick)

lint: setup
	@$(PY) -m ruff format --check .
	@$(PY) -m ruff check .
	@$(PY) -m mypy casino tables ledger audit
	@.venv/bin/python -c "from importlinter.cli import lint_imports_command; lint_imports_command()"
	@PITBOOK_STATE=.pitbook-test PITBOOK_DURABLE=0 $(PY) manage.py makemigrations --check --dry-run
	@PITBOOK_STATE=.pitbook-test PITBOOK_DURABLE=0 $(PY) manage.py spectacular --validate --fail-on-warn --file /dev/null
	@.venv/bin/hadolint Dockerfile

clean:
	@if test -x $(PY); then $(PY) -m casino.embedded wipe .pitbook && $(PY) -m casino.embedded wipe .pitbook-test; fi
	@rm -rf .venv .hypothesis .mypy_cache .ruff_cache
