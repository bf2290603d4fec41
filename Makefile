# SPDX-License-Identifier: GPL-2.0-only
#
# For people: packages and kernels do not read this file. DKMS and the kernel's
# build system use dkms.conf and Kbuild.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

version := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"$$/\1/p' dkms.conf)

# Setup comes before what needs it; the makes below run in parallel as told.
.NOTPARALLEL:

# Downloads and built roots; everything that is built.
export CANPIPE_CACHE ?= $(CURDIR)/.cache

KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build

##@ Use

.PHONY: help
help: ## this list (default)
	@echo "canpipe $(version): SocketCAN drivers that lose no frame at full bus load"
	@awk 'BEGIN { FS = ":.*## " } \
		/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z][a-zA-Z0-9_-]*:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' \
		$(firstword $(MAKEFILE_LIST))
	@echo
	@echo "All of them work without CAN hardware. Roots and downloads are kept in .cache/,"
	@echo "everything built goes to build/."

.PHONY: demo
demo: setup deb build-rig ## install the package in a Debian root, boot it, run CAN at full bus load (as root)
	tests/demo

.PHONY: deb
deb: ## build/deb/canpipe-{dkms,utils}_*.deb of the tracked files; ARCHS="amd64 arm64 armhf" for more (as root)
	@debian/make-deb build/deb all $(or $(ARCHS),amd64)
	@ls build/deb/*.deb

# Built in a copy, as DKMS does it, so that the tree stays clean.
.PHONY: modules
modules: ## modules for the running kernel, or KVER=6.1.0-50-amd64, or KDIR=/path/to/headers
	@test -e $(KDIR)/Makefile || { \
		echo "No kernel headers in $(KDIR)." >&2; \
		echo "Install linux-headers-$(KVER), or name others: make modules KVER=... or KDIR=..." >&2; \
		exit 1; }
	@release=$$(sed -n 's/.*"\(.*\)"/\1/p' $(KDIR)/include/generated/utsrelease.h); \
	copy=$(CURDIR)/build/modules/$$release; \
	rm -rf "$$copy"; mkdir -p "$$copy"; \
	cp -a Kbuild dkms.conf src "$$copy"; \
	$(MAKE) -C $(KDIR) M="$$copy" modules; \
	find "$$copy" -name '*.ko'

.PHONY: utils
utils: ## build/utils/canpipe: the helper, for this machine
	@$(MAKE) -C utils

.PHONY: overlays
overlays: ## build/overlays/*.dtbo: device-tree overlays for the Raspberry Pi
	@$(MAKE) -C config/overlays OUT=$(CURDIR)/build/overlays

##@ Check

# Cheap and telling tests come first. The patterns are for the shell: most of the unit
# tests exist only once they are built, and a group without any must be an error.
unit-tests := build/unit/*.t
package-tests := tests/package/*.t
kernel-tests := tests/kernels/*.t
rig-tests := tests/rig/*.t

# Not for the makes below, which have a TESTS of their own.
ifdef TESTS
MAKEOVERRIDES =
unexport TESTS
endif

# Tests are programs of any language; of a failed one its lines and comments show.
prove := prove --exec '' --timer --failures --comments

# What waits for the network and what needs the CPU take turns, so that neither is idle. Each
# test has one processor then, and its guests come one after the other.
all-tests = $(unit-tests) $$(paste -d '\n' <(printf '%s\n' $(package-tests) $(kernel-tests)) \
	<(printf '%s\n' $(rig-tests)))

.PHONY: check
check: setup deb build-tests ## every test but the long forms; TESTS="tests/rig/x.t ..." for some (as root)
	@mkdir -p build
	@JOBS=1 $(prove) --jobs "$$(nproc)" $(or $(TESTS),$(all-tests)) 2>&1 | tee build/check.log

.PHONY: check-unit
check-unit: build-tests ## host tests of the models and of the drivers' pure parts
	@$(prove) $(unit-tests)

.PHONY: check-package
check-package: setup deb build-rig ## apt and DKMS flows in throwaway roots, with the long ones
	@CANPIPE_LONG=1 $(prove) $(package-tests)

.PHONY: check-kernels
check-kernels: setup ## the modules on every supported kernel, W=1, sparse, checkpatch
	@CANPIPE_LONG=1 $(prove) $(kernel-tests)

.PHONY: check-rig
check-rig: setup build-rig ## stock kernels on modelled hardware, with the long forms (hours)
	@CANPIPE_LONG=1 $(prove) $(rig-tests)

.PHONY: soak
soak: setup build-rig ## ten times 2 x 250 000 frames, idle and loaded (hours); RUNS= N= BOARDS= LOADS= (as root)
	tests/soak

.PHONY: soak-mcp251x
soak-mcp251x: setup build-rig ## 1 000 000 frames back to back on two Pis, 500k and 1M (ten minutes); N= POINTS= (as root)
	tests/soak-mcp251x

##@ Measure

.PHONY: bench-c_can
bench-c_can: setup build-rig ## our c_can beside the kernel's own, docs/bench/c_can.{md,svg}; N=frames (as root)
	tests/bench/c_can

.PHONY: bench-mcp251x
bench-mcp251x: setup build-rig ## our mcp251x beside the kernel's own, docs/bench/mcp251x.{md,svg}; N=frames (as root)
	tests/bench/mcp251x

.PHONY: bench-spi
bench-spi: setup build-rig ## our spi-bcm2835dma beside the kernel's own, docs/bench/spi.{md,svg}; N=messages (as root)
	tests/bench/spi

##@ Prepare

.PHONY: setup
setup: ## install what the tests need, make the roots they run in
	tests/lib/setup

.PHONY: build-tests build-unit build-rig
build-tests: build-unit build-rig utils

build-unit:
	$(MAKE) -j "$$(nproc)" -C tests/unit

build-rig:
	$(MAKE) -j "$$(nproc)" -C tests/rig

##@ Tidy

.PHONY: clean
clean: ## remove build/; roots and downloads in .cache/ stay
	rm -rf build
