# SPDX-License-Identifier: MIT
needs := $(CONFIG_HANDLE)
calls-y := handle
files-y := calls.c handle.c
fast-y := handle.c
