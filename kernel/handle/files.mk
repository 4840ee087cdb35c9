# SPDX-License-Identifier: MIT
needs := $(CONFIG_HANDLE)
calls-y := handle $(if $(CONFIG_HANDLE_PAGES),pages)
files-y := calls.c channel.c handle.c memory.c views.c
fast-y := calls.c channel.c handle.c memory.c views.c
files-$(CONFIG_HANDLE_PAGES) += derived.c inspect.c pages.c
fast-$(CONFIG_HANDLE_PAGES) += derived.c pages.c
defines-$(CONFIG_HANDLE_PAGES) += HANDLE_PAGES=1
# Behind what handles show and devices have an SCC's processes have what the chip gives them.
defines-$(CONFIG_SCC) += PROCESS_PARTS_SIZE=33554432
