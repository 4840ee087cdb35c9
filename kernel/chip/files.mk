# SPDX-License-Identifier: MIT
needs := $(if $(CONFIG_SCC),$(CONFIG_PROCESS))
calls-y := scc
files-y := chip.c mail.c svm.c
