# Two targets for everybody: `make demo` and `make test`. Both set the project up in .venv first,
# once. The others are for those who work on it: `make help` lists them.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
BUILD ?= build
SETUP_INPUTS := pyproject.toml setup.py host/build_core.py $(wildcard firmware/core/*.c firmware/core/*.h)
C_SOURCES := $(shell find firmware -name '*.c' -o -name '*.h')

# Zephyr is not part of the project: ZEPHYR_BASE names one, and ZEPHYR_MODULES its modules where
# there is no west workspace around it.
BOARD ?= native_sim/native/64
ZEPHYR_TOOLCHAIN_VARIANT ?= $(if $(filter native_sim%,$(BOARD)),host)
FIRMWARE_BUILD = $(BUILD)/firmware/$(subst /,_,$(BOARD))
FIRMWARE_TESTS := vectors shell
ZEPHYR_CMAKE = $(if $(ZEPHYR_TOOLCHAIN_VARIANT),ZEPHYR_TOOLCHAIN_VARIANT=$(ZEPHYR_TOOLCHAIN_VARIANT)) cmake -GNinja

.PHONY: help setup demo test lint format test-core test-host fuzz fuzz-logs fuzz-logs-guided soak benchmark firmware firmware-test has-zephyr clean

help:
	@echo 'make demo       4 S3 cycles on the simulated bench, in real time, with a report'
	@echo 'make test       every check and test'
	@echo 'make setup      only the virtual environment in $(VENV)'
	@echo 'make lint       ruff, mypy, clang-format'
	@echo 'make format     lets ruff and clang-format write'
	@echo 'make test-core  the C core under AddressSanitizer and UBSan'
	@echo 'make test-host  pytest'
	@echo 'make fuzz       the C core under libFuzzer (clang) for FUZZ_SECONDS (60)'
	@echo 'make fuzz-logs  FUZZ_LOGS (10000) damaged event logs: no crash, no number that nobody wrote'
	@echo 'make fuzz-logs-guided  the readers of event logs under atheris for FUZZ_SECONDS (60)'
	@echo 'make soak       a thousand simulated cycles on the virtual clock: speed, memory, size of the store'
	@echo 'make benchmark  figures beside those of a peer'
	@echo 'make firmware  the Zephyr image for BOARD (native_sim/native/64); needs ZEPHYR_BASE'
	@echo 'make firmware-test  ztest and the host against the image on native_sim; needs ZEPHYR_BASE'
	@echo 'make clean      removes what was built, and $(VENV)'

# The stamp stands for a finished set-up; a broken one leaves none, so the next run starts again.
setup: $(VENV)/.set-up
$(VENV)/.set-up: $(SETUP_INPUTS)
	@sh .ci/preflight $(PYTHON)
	@echo 'Setting up in $(VENV) (once; downloads about 60 MB) ...'
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@

demo: setup
	@mkdir -p out
	@$(BIN)/resume-rig run --out out/demo-$$(date +%Y%m%d-%H%M%S).rrs

test: setup lint test-core test-host

lint: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy
	@$(BIN)/clang-format --dry-run --Werror $(C_SOURCES)

format: setup
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .
	@$(BIN)/clang-format -i $(C_SOURCES)

test-core: setup
	@$(MAKE) --no-print-directory -C firmware/tests/core PYTHON=$(abspath $(BIN)/python) BUILD=$(abspath $(BUILD))/core-tests

test-host: setup
	@$(BIN)/python -m pytest -q

FUZZ_SECONDS ?= 60
fuzz: setup
	@$(MAKE) --no-print-directory -C firmware/tests/fuzz SECONDS=$(FUZZ_SECONDS) PYTHON=$(abspath $(BIN)/python) BUILD=$(abspath $(BUILD))/fuzz

FUZZ_LOGS ?= 10000
fuzz-logs: setup
	@$(BIN)/python benchmarks/fuzz_event_logs.py $(FUZZ_LOGS)

fuzz-logs-guided: setup
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'atheris~=3.0'
	@$(BIN)/python benchmarks/fuzz_guided.py $(FUZZ_SECONDS)

soak: setup
	@$(BIN)/python benchmarks/soak.py

benchmark: setup
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'smpclient[serial]~=7.3' 'python-evtx~=0.8'
	@$(BIN)/python benchmarks/roundtrip.py
	@$(BIN)/python benchmarks/log_reading.py
	@$(BIN)/python benchmarks/evtx_reading.py
	@$(BIN)/python benchmarks/start.py
	@$(BIN)/python benchmarks/light_onset.py

has-zephyr:
	@test -n "$$ZEPHYR_BASE" || { echo 'make firmware: no Zephyr to build with: ZEPHYR_BASE is not set; see firmware/README.md' >&2; exit 2; }

firmware: has-zephyr
	@$(ZEPHYR_CMAKE) -S firmware -B $(FIRMWARE_BUILD) -DBOARD=$(BOARD)
	@cmake --build $(FIRMWARE_BUILD)

firmware-test: setup has-zephyr
	@# Zephyr keeps the list of overlays of the first configuration in its cache.
	@rm -f $(addprefix $(BUILD)/firmware/test-,$(addsuffix /CMakeCache.txt,$(FIRMWARE_TESTS)))
	@for test in $(FIRMWARE_TESTS); do \
		ZEPHYR_TOOLCHAIN_VARIANT=host cmake -GNinja -S firmware/tests/$$test -B $(BUILD)/firmware/test-$$test -DBOARD=native_sim/native/64 && \
		cmake --build $(BUILD)/firmware/test-$$test && \
		$(BUILD)/firmware/test-$$test/zephyr/zephyr.exe || exit 1; \
	done
	@$(MAKE) --no-print-directory firmware BOARD=native_sim/native/64
	@RESUME_RIG_NATIVE=$(abspath $(BUILD))/firmware/native_sim_native_64/zephyr/zephyr.exe $(BIN)/python -m pytest -q host/tests/rig/native

clean:
	rm -rf $(BUILD) $(VENV) out host/src/resume_rig/_core*.so host/src/*.egg-info
