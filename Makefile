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
# SANITIZE=1: native_sim's image and tests under AddressSanitizer and UBSan.
SANITIZED = $(if $(SANITIZE),-sanitized)
SANITIZE_OPTIONS = $(if $(SANITIZE),-DCONFIG_ASAN=y -DCONFIG_UBSAN=y)
FIRMWARE_BUILD = $(BUILD)/firmware/$(subst /,_,$(BOARD))$(SANITIZED)
FIRMWARE_TESTS := vectors shell
ZEPHYR_CMAKE = $(if $(ZEPHYR_TOOLCHAIN_VARIANT),ZEPHYR_TOOLCHAIN_VARIANT=$(ZEPHYR_TOOLCHAIN_VARIANT)) cmake -GNinja

.PHONY: help setup demo test lint format test-core test-host test-slow test-all labgrid-test fuzz fuzz-readers fuzz-logs fuzz-guided soak soak-kill soak-pty robot benchmark firmware firmware-test firmware-fuzz firmware-mcuboot firmware-update-test firmware-headroom hardware has-zephyr has-mcuboot clean

help:
	@echo 'make demo       4 S3 cycles on the simulated bench, in real time, with a report'
	@echo 'make test       every check, and the tests that take seconds: before each commit'
	@echo 'make test-all   the tests that take minutes, labgrid, and the firmware where a Zephyr is'
	@echo 'make setup      only the virtual environment in $(VENV)'
	@echo 'make lint       ruff, mypy, robocop, clang-format'
	@echo 'make format     lets ruff and clang-format write'
	@echo 'make test-core  the C core, and what is pure in the drivers, under AddressSanitizer and UBSan'
	@echo 'make test-host  pytest'
	@echo 'make labgrid-test  labgrid, on loopback, in an environment of its own'
	@echo 'make robot      the suites of robot_tests on RUNG (sim), native or bench'
	@echo 'make fuzz       the C core under libFuzzer (clang) for FUZZ_SECONDS (60)'
	@echo 'make fuzz-readers  damaged logs of every kind for FUZZ_SECONDS (60): no crash, no hang'
	@echo 'make fuzz-logs  FUZZ_LOGS (10000) damaged event logs: no crash, no number that nobody wrote'
	@echo 'make fuzz-guided  each reader of logs and captures under atheris for FUZZ_SECONDS (60)'
	@echo 'make soak       SOAK_CYCLES (100000) simulated cycles with mixed faults, held against the truth'
	@echo 'make soak-kill  SOAK_KILLS (200) kill -9 at random instants of campaigns in real processes'
	@echo 'make soak-pty   SOAK_HOURS (2) in real time over a pseudo-terminal with a bad cable'
	@echo 'make benchmark  figures beside those of a peer'
	@echo 'make firmware  the Zephyr image for BOARD (native_sim/native/64); needs ZEPHYR_BASE'
	@echo 'make firmware-mcuboot  the bootloader and a signed image for BOARD; needs MCUBOOT_KEY'
	@echo 'make firmware-headroom  stacks and RAM of the image for BOARD, from its build'
	@echo 'make firmware-update-test  updates in QEMU, through the real bootloader'
	@echo 'make firmware-fuzz  FUZZ_REQUESTS (1000000) mad requests to the sanitized image; needs ZEPHYR_BASE'
	@echo 'make firmware-test  ztest and the host against the image on native_sim; needs ZEPHYR_BASE'
	@echo 'make hardware  circuits, rules, decks and delays of the front end, twice; needs ngspice'
	@echo 'make clean      removes what was built, and $(VENV)'

# The stamp stands for a finished set-up; a broken one leaves none, so the next run starts again.
setup: $(VENV)/.set-up
$(VENV)/.set-up: $(SETUP_INPUTS)
	@sh .ci/preflight $(PYTHON)
	@echo 'Setting up in $(VENV) (once; downloads about 120 MB) ...'
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@

demo: setup
	@mkdir -p out
	@$(BIN)/resume-rig run --out out/demo-$$(date +%Y%m%d-%H%M%S).rrs

test: setup lint test-core test-host robot

lint: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy
	@$(BIN)/robocop format --check --silent robot_tests examples
	@$(BIN)/robocop check robot_tests examples
	@$(BIN)/clang-format --dry-run --Werror $(C_SOURCES)

format: setup
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .
	@$(BIN)/clang-format -i $(C_SOURCES)

test-core: setup
	@$(MAKE) --no-print-directory -C firmware/tests/core PYTHON=$(abspath $(BIN)/python) BUILD=$(abspath $(BUILD))/core-tests
	@$(MAKE) --no-print-directory -C firmware/tests/drivers BUILD=$(abspath $(BUILD))/driver-tests

# Many tests wait for processes, so there are more workers than processors.
WORKERS ?= 4
PYTEST = $(BIN)/python -m pytest -q --numprocesses $(WORKERS) --dist loadgroup
test-host: setup
	@$(PYTEST) -m 'not slow'

test-slow: setup
	@$(PYTEST) -m slow

# Says in its last line what became of the firmware.
test-all: test-slow labgrid-test
	@if [ -n "$$ZEPHYR_BASE" ]; then \
		$(MAKE) --no-print-directory firmware-test && \
		echo 'firmware: built for native_sim with the Zephyr of ZEPHYR_BASE, and tested'; \
	else \
		echo 'firmware: SKIPPED, ZEPHYR_BASE is not set, so there is no Zephyr to build with; the host tests of its core ran in make test'; \
	fi

# labgrid brings a pyserial of its own, so it lives in an environment of its own.
LABGRID_VENV ?= .venv-labgrid
$(LABGRID_VENV)/.set-up: examples/labgrid/requirements.txt $(SETUP_INPUTS)
	@echo 'Setting up labgrid in $(LABGRID_VENV) (once; downloads about 60 MB) ...'
	@$(PYTHON) -m venv $(LABGRID_VENV)
	@$(LABGRID_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --requirement examples/labgrid/requirements.txt
	@$(LABGRID_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

labgrid-test: setup $(LABGRID_VENV)/.set-up
	@RESUME_RIG_LABGRID=$(abspath $(LABGRID_VENV))/bin $(BIN)/python -m pytest -q host/tests/labgrid_rig

# What a rung needs and leaves out stands in its argument file.
RUNG ?= sim
robot: setup
	@test -f robot_tests/$(RUNG).args || { echo 'make robot: there is no rung $(RUNG); allowed are sim, native and bench' >&2; exit 2; }
	@$(BIN)/robot --argumentfile robot_tests/$(RUNG).args --console dotted --outputdir out/robot-$(RUNG) --xunit xunit.xml robot_tests

FUZZ_SECONDS ?= 60
fuzz: setup
	@$(MAKE) --no-print-directory -C firmware/tests/fuzz SECONDS=$(FUZZ_SECONDS) PYTHON=$(abspath $(BIN)/python) BUILD=$(abspath $(BUILD))/fuzz

fuzz-readers: setup
	@$(BIN)/python benchmarks/fuzz_logs.py $(FUZZ_SECONDS)

FUZZ_LOGS ?= 10000
fuzz-logs: setup
	@$(BIN)/python benchmarks/fuzz_event_logs.py $(FUZZ_LOGS)

fuzz-guided: setup
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'atheris~=3.0'
	@$(BIN)/python benchmarks/fuzz_guided.py $(FUZZ_SECONDS)

SOAK_CYCLES ?= 100000
soak: setup
	@$(BIN)/python benchmarks/soak.py $(SOAK_CYCLES)
	@$(BIN)/python benchmarks/big_store.py $(SOAK_CYCLES)

SOAK_KILLS ?= 200
soak-kill: setup
	@$(BIN)/python benchmarks/soak_kill.py $(SOAK_KILLS)

SOAK_HOURS ?= 2
SOAK_FOLDER ?= out/soak-pty
soak-pty: setup
	@$(BIN)/python benchmarks/soak_pty.py $(SOAK_FOLDER) $(SOAK_HOURS)

benchmark: setup
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'smpclient[serial]~=7.3' 'python-evtx~=0.8'
	@$(BIN)/python benchmarks/roundtrip.py
	@$(BIN)/python benchmarks/log_reading.py
	@$(BIN)/python benchmarks/evtx_reading.py
	@$(BIN)/python benchmarks/start.py
	@$(BIN)/python benchmarks/light_onset.py
	@$(BIN)/python benchmarks/clock_relation.py 100

# Twice, in two processes: what is made has to be the same to the byte.
$(VENV)/.hardware: $(VENV)/.set-up
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[hardware]'
	@touch $@

HARDWARE = $(BUILD)/hardware
hardware: setup $(VENV)/.hardware
	@command -v ngspice >/dev/null || { echo 'make hardware: the decks need ngspice, and it is not there; install it (Debian, Ubuntu: apt install ngspice)' >&2; exit 2; }
	@rm -rf $(HARDWARE)
	@mkdir -p $(HARDWARE)
	@for turn in first second; do \
		PYTHONPATH=hardware $(BIN)/python -m frontend $(HARDWARE)/$$turn >$(HARDWARE)/$$turn.txt || { cat $(HARDWARE)/$$turn.txt; exit 1; }; \
	done
	@diff -r $(HARDWARE)/first $(HARDWARE)/second
	@cat $(HARDWARE)/first.txt $(HARDWARE)/first/delays.toml
	@cp $(HARDWARE)/first/delays.toml hardware/delays.toml
	@rm -rf hardware/generated && mkdir hardware/generated
	@cd $(HARDWARE)/first && cp -R bills drawings schematics wiring faults.md $(abspath hardware/generated)

has-zephyr:
	@test -n "$$ZEPHYR_BASE" || { echo 'make firmware: no Zephyr to build with: ZEPHYR_BASE is not set; see firmware/README.md' >&2; exit 2; }

firmware: has-zephyr
	@$(ZEPHYR_CMAKE) -S firmware -B $(FIRMWARE_BUILD) -DBOARD=$(BOARD) $(SANITIZE_OPTIONS)
	@cmake --build $(FIRMWARE_BUILD)

# MCUboot comes with a west workspace; else it is one of ZEPHYR_MODULES, or MCUBOOT names it.
MCUBOOT ?= $(or $(filter %/mcuboot,$(subst ;, ,$(ZEPHYR_MODULES))),$(abspath $(ZEPHYR_BASE)/../bootloader/mcuboot))
MCUBOOT_MODULES = $(if $(ZEPHYR_MODULES),ZEPHYR_MODULES="$(subst ;$(MCUBOOT),,$(ZEPHYR_MODULES));$(MCUBOOT)")
MCUBOOT_BUILD = $(FIRMWARE_BUILD)-mcuboot
MCUBOOT_OVERLAYS = $(abspath $(wildcard firmware/sysbuild/mcuboot_$(subst /,_,$(BOARD)).overlay)) $(MCUBOOT)/boot/zephyr/app.overlay
APP_OVERLAY = $(abspath $(wildcard firmware/boards/$(subst /,_,$(BOARD))_mcuboot.overlay))
MCUBOOT_OPTIONS ?=
SIGN = python3 firmware/scripts/sign_image.py $(MCUBOOT_BUILD)/app $(MCUBOOT)/scripts/imgtool.py

has-mcuboot: has-zephyr
	@test -f "$(MCUBOOT)/scripts/imgtool.py" || { echo 'make: no MCUboot at $(MCUBOOT); name one with MCUBOOT=..., see firmware/README.md' >&2; exit 2; }
	@test -f "$(MCUBOOT_KEY)" || { echo 'make: MCUBOOT_KEY names no key to sign with; make one with `imgtool keygen -t ecdsa-p256 -k FILE`, keep it secret, see docs/how-to/update-the-firmware.md' >&2; exit 2; }

firmware-mcuboot: has-mcuboot
	@$(MCUBOOT_MODULES) $(ZEPHYR_CMAKE) -S $(MCUBOOT)/boot/zephyr -B $(MCUBOOT_BUILD)/bootloader -DBOARD=$(BOARD) \
		-DEXTRA_CONF_FILE=$(abspath firmware/sysbuild/mcuboot.conf) \
		"-DEXTRA_DTC_OVERLAY_FILE=$(MCUBOOT_OVERLAYS)" \
		'-DCONFIG_BOOT_SIGNATURE_KEY_FILE="$(abspath $(MCUBOOT_KEY))"'
	@cmake --build $(MCUBOOT_BUILD)/bootloader
	@# Signed below: Zephyr's own way needs a west workspace.
	@$(MCUBOOT_MODULES) $(ZEPHYR_CMAKE) -S firmware -B $(MCUBOOT_BUILD)/app -DBOARD=$(BOARD) \
		-DCONFIG_BOOTLOADER_MCUBOOT=y '-DCONFIG_MCUBOOT_SIGNATURE_KEY_FILE=""' \
		"-DEXTRA_DTC_OVERLAY_FILE=$(APP_OVERLAY)" $(MCUBOOT_OPTIONS)
	@cmake --build $(MCUBOOT_BUILD)/app
	@$(SIGN) $(MCUBOOT_KEY) $(MCUBOOT_BUILD)/$(subst /,_,$(BOARD))$(if $(MCUBOOT_DEMO),-demo).signed.bin

# QEMU has no Nucleo and no pico; the mps2-an385 runs the same bootloader on a simulated flash.
firmware-update-test: export BOARD = mps2/an385
firmware-update-test: setup has-zephyr
	@mkdir -p $(BUILD)/firmware
	@for key in board other; do \
		test -f $(BUILD)/firmware/update-$$key.pem || \
		python3 $(MCUBOOT)/scripts/imgtool.py keygen -t ecdsa-p256 -k $(BUILD)/firmware/update-$$key.pem || exit 1; \
	done
	@$(MAKE) --no-print-directory firmware-mcuboot MCUBOOT_KEY=$(BUILD)/firmware/update-board.pem MCUBOOT_OPTIONS=-DCONFIG_RIG_TRIAL_S=6
	@$(SIGN) $(BUILD)/firmware/update-board.pem $(MCUBOOT_BUILD)/old.bin 0.1.0
	@$(SIGN) $(BUILD)/firmware/update-board.pem $(MCUBOOT_BUILD)/new.bin 0.2.0
	@$(SIGN) $(BUILD)/firmware/update-other.pem $(MCUBOOT_BUILD)/foreign.bin 0.3.0
	@RESUME_RIG_QEMU_UPDATE=$(abspath $(MCUBOOT_BUILD)) $(BIN)/python -m pytest -q host/tests/rig/qemu/test_qemu_update.py

# UPDATES=1: the image that MCUboot starts. GCC leaves frames and calls beside each object.
HEADROOM_BUILD = $(FIRMWARE_BUILD)$(if $(UPDATES),-updates)-headroom
firmware-headroom: has-zephyr
	@$(if $(UPDATES),$(MCUBOOT_MODULES)) $(ZEPHYR_CMAKE) -S firmware -B $(HEADROOM_BUILD) -DBOARD=$(BOARD) \
		"-DEXTRA_CFLAGS=-fstack-usage -fcallgraph-info=su" \
		$(if $(UPDATES),-DCONFIG_BOOTLOADER_MCUBOOT=y '-DCONFIG_MCUBOOT_SIGNATURE_KEY_FILE=""' "-DEXTRA_DTC_OVERLAY_FILE=$(APP_OVERLAY)")
	@cmake --build $(HEADROOM_BUILD)
	@python3 firmware/scripts/stack_headroom.py $(HEADROOM_BUILD)

firmware-test: setup has-zephyr
	@# Zephyr keeps the list of overlays of the first configuration in its cache.
	@rm -f $(addprefix $(BUILD)/firmware/test-,$(addsuffix $(SANITIZED)/CMakeCache.txt,$(FIRMWARE_TESTS)))
	@for test in $(FIRMWARE_TESTS); do \
		ZEPHYR_TOOLCHAIN_VARIANT=host cmake -GNinja -S firmware/tests/$$test -B $(BUILD)/firmware/test-$$test$(SANITIZED) -DBOARD=native_sim/native/64 $(SANITIZE_OPTIONS) && \
		cmake --build $(BUILD)/firmware/test-$$test$(SANITIZED) && \
		$(BUILD)/firmware/test-$$test$(SANITIZED)/zephyr/zephyr.exe || exit 1; \
	done
	@$(MAKE) --no-print-directory firmware BOARD=native_sim/native/64
	@RESUME_RIG_NATIVE=$(abspath $(BUILD))/firmware/native_sim_native_64$(SANITIZED)/zephyr/zephyr.exe $(BIN)/python -m pytest -q host/tests/rig/native

FUZZ_REQUESTS ?= 1000000
firmware-fuzz: setup has-zephyr
	@$(MAKE) --no-print-directory firmware BOARD=native_sim/native/64 SANITIZE=1
	@$(BIN)/python benchmarks/fuzz_image.py $(BUILD)/firmware/native_sim_native_64-sanitized/zephyr/zephyr.exe $(FUZZ_REQUESTS)

clean:
	rm -rf $(BUILD) $(VENV) $(LABGRID_VENV) out host/src/resume_rig/_core*.so host/src/*.egg-info
