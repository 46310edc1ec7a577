# README's promise: `make run` on a fresh machine sets everything up and serves; `make test` sets everything up and passes.
SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
DATA_DIR ?= data
SECURE_PORT ?= 6443
PYTEST_WORKERS ?= 2

.PHONY: run test test-full crash fuzz build debug sanitize lint format types bench golden clean dist system

run: build
	$(BIN)/quarterdeck serve --data-dir $(DATA_DIR) --secure-port $(SECURE_PORT)

# System packages (a C compiler, Python's headers and venv) are installed only where they are missing.
system:
	@./tools/install-system-packages

$(VENV)/.installed: pyproject.toml | system
	@python3 -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check --upgrade pip 'setuptools>=77' wheel 'Cython>=3.1,<4'
	@QUARTERDECK_DEBUG= $(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation -e '.[test,lint,bench]'
	@touch $@

build: $(VENV)/.installed
	@$(BIN)/python setup.py --quiet build_ext --inplace

test: build
	$(BIN)/pytest -n $(PYTEST_WORKERS) -m 'not slow'

clean:
	rm -rf build dist $(VENV) pkg/*.egg-info pkg/quarterdeck/_kernels/*.so
