# SPDX-License-Identifier: MIT
TESTS += pager
pager_SRC := $(CORE_SRC) kernel/process/pager.c kernel/process/waiters.c
pager_CFLAGS := -I$(OUT)/include $(X86) -Wl,-T,$(ROOT)/tests/host/initcalls.ld
$(OUT)/test_pager: | $(OUT)/include/generated/process_calls.h
