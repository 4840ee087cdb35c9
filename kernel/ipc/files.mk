# SPDX-License-Identifier: MIT
needs := $(CONFIG_IPC)
files-y := tunnel.c
files-$(CONFIG_PROCESS) += process.c
# On the way of a call that blocks on the way in (process/files.mk).
fast-$(if $(filter x86,$(ARCH)),$(CONFIG_64BIT)) += process.c
