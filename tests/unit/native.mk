# SPDX-License-Identifier: MIT
TESTS += native
native_SRC := kernel/lib/string.c $(addprefix kernel/native/,calls.c image.c native.c share.c)
native_FIRST := -I$(ROOT)/kernel/board/scc/include
# The address sanitizer has its own memory where the board shares its.
native_CFLAGS := -Wl,-T,$(ROOT)/tests/host/initcalls.ld -fno-sanitize=address
