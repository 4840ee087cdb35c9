# SPDX-License-Identifier: MIT
# The short way to everything; ./amalgam --help is the long one.
SHAPE ?= pc
AMALGAM := ./amalgam
# Headers for assembly are not C.
C_FILES = $(shell git ls-files '*.c' '*.h' | xargs grep -LE '^ *\.(macro|irp)')

.PHONY: help run test test-full bench setup build menuconfig format lint compile_commands clean distclean

help:
	@echo 'make run               build everything; a Debian guest and a real-time partition on the board'
	@echo 'make test              all tests, short;  make test-full: the long variants'
	@echo 'make bench             all benchmarks'
	@echo 'make setup             install the packages that are needed (says which and why)'
	@echo 'make build             the kernel: build/$(SHAPE)/amalgam.elf'
	@echo 'make menuconfig        edit config/$(SHAPE).config'
	@echo 'make format lint       lay out and check the sources'
	@echo 'make compile_commands  compile_commands.json for editors'
	@echo 'make clean distclean   remove build/; also the cache and the Python environment'

setup:
	@$(AMALGAM) setup
run: setup
	@$(AMALGAM) run debian
test: setup
	@$(AMALGAM) test
test-full: setup
	@$(AMALGAM) test full
bench: setup
	@$(AMALGAM) bench
build:
	@$(AMALGAM) build $(SHAPE)

menuconfig:
	@$(AMALGAM) build $(SHAPE) --menuconfig
format:
	@clang-format -i $(C_FILES)
lint:
	@$(AMALGAM) build $(SHAPE) --lint
compile_commands:
	@$(AMALGAM) build $(SHAPE) --compile-commands

clean:
	rm -rf build
distclean: clean
	rm -rf .cache .venv compile_commands.json
