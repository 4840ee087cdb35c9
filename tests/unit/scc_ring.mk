# SPDX-License-Identifier: MIT
TESTS += scc_ring
scc_ring_SRC := $(addprefix kernel/board/scc/,console.c reader.c ring.c)
scc_ring_FIRST := -I$(ROOT)/kernel/board/scc/include -I$(ROOT)/kernel/board/scc
# The address sanitizer has its own memory where the board shares its.
scc_ring_CFLAGS := -Wl,-T,$(ROOT)/tests/host/initcalls.ld -fno-sanitize=address
