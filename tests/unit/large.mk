# SPDX-License-Identifier: MIT
TESTS += large
large_SRC := $(CORE_SRC) $(addprefix kernel/process/,flush.c frame_calls.c frames.c lazy.c map.c pager.c pin.c waiters.c)
large_CFLAGS := -I$(OUT)/include $(X86) -Wl,-T,$(ROOT)/tests/host/initcalls.ld
large_INCLUDES := kernel/arch/x86/64/user/space.c
$(OUT)/test_large: $(OUT)/include/generated/dispatch.h
large_LEVEL := -O1
