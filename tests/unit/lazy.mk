# SPDX-License-Identifier: MIT
TESTS += lazy
lazy_SRC := $(CORE_SRC) $(addprefix kernel/process/,flush.c frame_calls.c frames.c lazy.c map.c pager.c waiters.c)
lazy_CFLAGS := -I$(OUT)/include $(X86) -Wl,-T,$(ROOT)/tests/host/initcalls.ld
$(OUT)/test_lazy: $(OUT)/include/generated/dispatch.h
lazy_LEVEL := -O1
