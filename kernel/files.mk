# SPDX-License-Identifier: MIT
# Each folder says itself whether a shape has it (`needs`); of architectures and boards there is one. What others stand on is
# linked first: another order moves code, and a few bytes of alignment with it.
folders := $(patsubst $(K)/%/files.mk,%,$(sort $(wildcard $(K)/*/files.mk)))
dirs-y := $(filter core lib,$(folders)) arch/$(ARCH) board/$(BOARD) $(filter process,$(folders)) $(filter-out core lib process,$(folders))
# The options of Kconfig beside this file.
defines-$(CONFIG_ONE_CORE) += MAX_CPUS=1
defines-$(CONFIG_NO_WINDOWS) += SCHED_WINDOWS=0
defines-$(CONFIG_NO_NAMES) += SYMTAB_NAMES=0
symtab-$(CONFIG_DYNAMIC) += --init-stays
symtab-$(CONFIG_NO_NAMES) += --no-names
symtab-$(CONFIG_NO_SYMBOLS) += none
