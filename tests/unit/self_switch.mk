# SPDX-License-Identifier: MIT
TESTS += self_switch
self_switch_SRC := kernel/attach/self/switch.c
self_switch_FIRST := -I$(ROOT)/tests/host/smp -pthread
self_switch_CFLAGS := -Wl,-T,$(ROOT)/tests/host/initcalls.ld
