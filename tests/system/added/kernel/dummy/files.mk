# SPDX-License-Identifier: MIT
needs := $(CONFIG_DUMMY)
calls-y := dummy
files-y := dummy.c
