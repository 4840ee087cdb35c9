# SPDX-License-Identifier: MIT
TESTS += tunnel
tunnel_SRC := kernel/ipc/tunnel.c
tunnel_CFLAGS := -Wl,-T,$(ROOT)/tests/host/initcalls.ld
