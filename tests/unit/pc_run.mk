# SPDX-License-Identifier: MIT
TESTS += pc_run
pc_run_SRC := kernel/vm/pc/pc.c kernel/vm/pc/msr.c kernel/arch/x86/amdv/event.c
pc_run_CFLAGS := -I$(OUT)/include -include $(ROOT)/tests/host/x86.h $(X86) -I$(ROOT)/kernel/vm/pc
$(OUT)/test_pc_run: $(OUT)/include/generated/api_calls.h
pc_run_LEVEL := -O1
