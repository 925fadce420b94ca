# SPDX-License-Identifier: MIT
# The short commands; the build itself is CMakeLists.txt.

BUILD := build
PREFIX ?= $(HOME)/.local/cupipe
LIB ?= $(BUILD)/lib/libcuda.so.1
GROUPS ?=
FUZZ_SECONDS ?= 60
FUZZ_JOBS ?=
SOAK_SECONDS ?= 600
# Versions of PyTorch that the wheel has objects for; none: they are compiled at first use.
TORCH_VERSIONS ?= 2.10 2.11 2.12 2.13 2.14 2.15

.PHONY: all packages deb-packages test-packages bench-packages configure build demo test test-sanitizers fuzz soak bench conformance install torch wheel deb kit site \
    packages-in-chroot clean

all: build

# Installs what is missing to build, and what tests and the benchmark need besides; says nothing when
# all is there.
packages:
	@scripts/install-packages build

deb-packages:
	@scripts/install-packages package

test-packages:
	@scripts/install-packages test

bench-packages:
	@scripts/install-packages bench

build: configure
	@cmake --build $(BUILD)

configure: packages
	@cmake --preset release > $(BUILD)-configure.log 2>&1 || { cat $(BUILD)-configure.log; exit 1; }
	@rm -f $(BUILD)-configure.log

demo: build
	@scripts/demo $(BUILD)

# The library is built a second time, with assertions, for the tests of tests/debug.
test: test-packages build
	@cmake --build $(BUILD) --target cuda-debug
	@ctest --test-dir $(BUILD) --output-on-failure --parallel $$(nproc)

# The same tests under ASan+UBSan and under TSan: slower, run before a release.
test-sanitizers: test-packages
	@for preset in asan tsan; do \
	    cmake --preset $$preset > /dev/null && cmake --build --preset $$preset && \
	    ctest --preset $$preset --parallel $$(nproc) || exit 1; \
	done

# Every fuzz target under ASan+UBSan, each for FUZZ_SECONDS; with FUZZ_JOBS all of them at once, in so many processes. The
# corpora are part of `make test`.
fuzz: test-packages
	@cmake --preset asan > /dev/null && cmake --build --preset asan --target cuda fuzz_all
	@scripts/fuzz $(if $(FUZZ_JOBS),-j $(FUZZ_JOBS)) $(BUILD)-asan $(FUZZ_SECONDS)

# Ten minutes of mixed load with every byte compared.
soak: build
	@$(BUILD)/fuzz/soak $(SOAK_SECONDS)

bench: bench-packages build
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

deb: deb-packages build
	@cd $(BUILD) && cpack -G DEB > cpack.log 2>&1 || { cat cpack.log; exit 1; }
	@ls $(BUILD)/packages/*.deb

# The conformance kit as a wheel, a source archive and a Debian package.
kit: build
	@python3 packaging/conformance.py $(BUILD) $(BUILD)/packages

# The documents as pages for a browser, in $(BUILD)/site.
site:
	@python3 scripts/site.py $(BUILD)/site

# Both, installed, used and removed in a fresh Debian; needs root and the network.
packages-in-chroot: wheel deb
	@packaging/test-in-chroot $(BUILD)/packages

clean:
	@rm -rf $(BUILD) $(BUILD)-debug $(BUILD)-asan $(BUILD)-tsan
