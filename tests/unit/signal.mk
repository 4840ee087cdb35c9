# SPDX-License-Identifier: MIT
TESTS += signal
signal_SRC := $(CORE_SRC) kernel/arch/x86/64/user/signal.c $(addprefix kernel/process/,copy.c signal.c waiters.c)
signal_CFLAGS := -I$(OUT)/include $(X86) -Wl,-T,$(ROOT)/tests/host/initcalls.ld
$(OUT)/test_signal: $(OUT)/include/generated/process_calls.h
