# SPDX-License-Identifier: MIT
# Counts instructions (tests/host/stretch.h).
TESTS += process_time
process_time_SRC := $(CORE_SRC) kernel/arch/x86/64/user/signal.c $(addprefix kernel/process/,copy.c signal.c tunnel_none.c wait.c waiters.c word.c)
process_time_CFLAGS := -I$(OUT)/include $(X86) -Wl,-T,$(ROOT)/tests/host/initcalls.ld $(STRETCH_CFLAGS)
$(OUT)/test_process_time: $(OUT)/include/generated/process_calls.h
