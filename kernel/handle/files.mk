# SPDX-License-Identifier: MIT
needs := $(CONFIG_HANDLE)
calls-y := handle
files-y := calls.c channel.c handle.c memory.c views.c
fast-y := calls.c channel.c handle.c memory.c views.c
# Behind what handles show and devices have an SCC's processes have what the chip gives them.
defines-$(CONFIG_SCC) := PROCESS_PARTS_SIZE=33554432
