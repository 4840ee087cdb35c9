# SPDX-License-Identifier: MIT
needs := $(CONFIG_NATIVE_PROGRAMS)
files-y := calls.c elf32.c image.c native.c
# One program on all cores.
files-$(CONFIG_SVM) += share.c
