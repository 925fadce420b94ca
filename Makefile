# SPDX-License-Identifier: MIT
# The short commands; the build itself is CMakeLists.txt.
#
# Nothing is installed unasked: where packages are missing, make names them and the command, and stops; at a terminal it
# asks; with CI=true it installs. make deps and make demo install.

BUILD := build
PREFIX ?= $(HOME)/.local/cupipe
LIB ?= $(BUILD)/lib/libcuda.so.1
GROUPS ?=
SETS ?= build test
FUZZ_SECONDS ?= 60
FUZZ_JOBS ?=
SOAK_SECONDS ?= 600
# Versions of PyTorch that the wheel has objects for; none: they are compiled at first use.
TORCH_VERSIONS ?= 2.10 2.11 2.12 2.13 2.14 2.15
RELEASE ?= $(BUILD)-release
# Options for CMake: OPTIONS=-DBUILD_TESTING=OFF builds what is installed and no tests.
OPTIONS ?=

.PHONY: all deps configure build demo test test-all test-sanitizers test-aarch64 fuzz soak bench conformance install torch wheel deb kit \
    site packages-in-chroot release clean

all: build

# Installs the packages that building and testing need; SETS="build test bench" those of benchmarks, too.
deps:
	@scripts/install-packages $(SETS)

build: configure
	@cmake --build $(BUILD)

configure:
	@scripts/install-packages --ask build
	@cmake --preset release $(OPTIONS) > $(BUILD)-configure.log 2>&1 || { cat $(BUILD)-configure.log; exit 1; }
	@rm -f $(BUILD)-configure.log

# Whoever runs it wants to see cupipe work, so it installs what building and testing need.
demo:
	@scripts/install-packages build test
	@$(MAKE) --no-print-directory build
	@scripts/demo $(BUILD)

# The library is built a second time, with assertions, for the tests of tests/debug.
test:
	@scripts/install-packages --ask test
	@$(MAKE) --no-print-directory build
	@cmake --build $(BUILD) --target cuda-debug
	@ctest --test-dir $(BUILD) --output-on-failure --parallel $$(nproc)

# What takes hours and is run before a release: every job of continuous integration that needs no rights.
test-all:
	@scripts/ci gcc clang debug asan tsan aarch64 aarch64-wheel docs reproducible

# The same tests under ASan+UBSan, then under TSan.
test-sanitizers:
	@scripts/ci asan tsan

# The driver, its kernels and instructions on an emulated aarch64.
test-aarch64:
	@scripts/ci aarch64

# Every fuzz target under ASan+UBSan, each for FUZZ_SECONDS; with FUZZ_JOBS all of them at once, in so many processes. The
# corpora are part of `make test`.
fuzz:
	@scripts/install-packages --ask test
	@cmake --preset asan > /dev/null && cmake --build --preset asan --target cuda fuzz_all
	@scripts/fuzz $(if $(FUZZ_JOBS),-j $(FUZZ_JOBS)) $(BUILD)-asan $(FUZZ_SECONDS)

# Ten minutes of mixed load with every byte compared.
soak: build
	@$(BUILD)/fuzz/soak $(SOAK_SECONDS)

bench:
	@scripts/install-packages --ask bench
	@$(MAKE) --no-print-directory build
	@$(BUILD)/bench/bench
	@find $(BUILD)/bench/libraries -maxdepth 1 -type f -executable | sort | while read -r program; do \
	    $$program || exit 1; \
	done
	@python3 tests/torch/run.py $(BUILD) bench/torch_rows.py || test $$? -eq 77

conformance: build
	@python3 tests/conformance/conformance.py --recorder $(BUILD)/tests/conformance/conformance_recorder \
	    --library $(LIB) $(GROUPS)

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)
	@echo "installed into $(PREFIX); run a program on it with"
	@echo "    $(PREFIX)/bin/cupipe run PROGRAM"

# A wheel and Debian packages of the build, in $(BUILD)/packages. Objects for PyTorch need the network, for its headers;
# without it the wheel is made without them.
torch: build
	@torch/build --versions "$(TORCH_VERSIONS)" --jobs $$(nproc)

wheel: torch
	@python3 packaging/wheel.py $(BUILD) $(BUILD)/packages

deb:
	@scripts/install-packages --ask package
	@$(MAKE) --no-print-directory build
	@python3 packaging/deb.py $(BUILD) $(BUILD)/packages

# The conformance kit as a wheel, a source archive and a Debian package.
kit: build
	@python3 packaging/conformance.py $(BUILD) $(BUILD)/packages

# The documents as pages for a browser, in $(BUILD)/site.
site:
	@scripts/install-packages --ask docs
	@python3 scripts/site.py $(BUILD)/site

# Both, installed, used and removed in a fresh Debian; needs root and the network.
packages-in-chroot: wheel deb
	@packaging/test-in-chroot $(BUILD)/packages

# What a release consists of, from a clean checkout: source, wheels, Debian packages, checksums.
release:
	@TORCH_VERSIONS="$(TORCH_VERSIONS)" scripts/release $(RELEASE)

clean:
	@rm -rf $(BUILD) $(BUILD)-debug $(BUILD)-asan $(BUILD)-tsan $(BUILD)-clang $(BUILD)-aarch64 $(BUILD)-release
