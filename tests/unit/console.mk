# SPDX-License-Identifier: MIT
TESTS += console
console_SRC := $(CORE_SRC)
TESTS += console_ports
console_ports_SRC := $(console_SRC)
TESTS += console_counted
console_counted_SRC := kernel/core/console_ring.c
console_counted_CFLAGS := -DCONSOLE_COUNTED=1
TESTS += console_hold
console_hold_SRC := $(console_SRC) kernel/core/console_hold.c
console_hold_CFLAGS := -DCONSOLE_HOLD=1
