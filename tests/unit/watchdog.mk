# SPDX-License-Identifier: MIT
TESTS += watchdog
watchdog_SRC := $(CORE_SRC) kernel/process/watchdog.c
watchdog_CFLAGS := -I$(OUT)/include $(X86) -Wl,-T,$(ROOT)/tests/host/initcalls.ld
$(OUT)/test_watchdog: $(OUT)/include/generated/process_calls.h
