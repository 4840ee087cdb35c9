# SPDX-License-Identifier: MIT
needs := $(if $(CONFIG_SCC),$(CONFIG_PROCESS))
calls-y := scc
files-y := chip.c info.c mail.c svm.c
files-$(CONFIG_CHIP_GUESTS) += guest.c
defines-$(CONFIG_CHIP_GUESTS) += CHIP_GUESTS=1
