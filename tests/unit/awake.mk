# SPDX-License-Identifier: MIT
TESTS += awake
awake_INCLUDES := kernel/core/awake.c
awake_CFLAGS := -Wl,-T,$(ROOT)/tests/host/initcalls.ld
