# SPDX-License-Identifier: MIT
needs := $(CONFIG_HANDLE)
calls-y := handle
files-y := calls.c channel.c handle.c memory.c views.c
fast-y := calls.c channel.c handle.c memory.c views.c
