# SPDX-License-Identifier: MIT
TESTS += pager
pager_SRC := $(CORE_SRC) $(addprefix kernel/process/,frames.c lazy.c pager.c waiters.c)
pager_CFLAGS := -I$(OUT)/include $(X86) -Wl,-T,$(ROOT)/tests/host/initcalls.ld
$(OUT)/test_pager: $(OUT)/include/generated/dispatch.h
pager_LEVEL := -O1
