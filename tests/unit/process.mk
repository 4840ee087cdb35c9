# SPDX-License-Identifier: MIT
TESTS += process
process_SRC := $(CORE_SRC) kernel/ipc/tunnel.c kernel/core/split_none.c kernel/ipc/process.c $(addprefix kernel/process/,copy.c flush.c frames.c lazy.c map.c part.c pool.c wait.c waiters.c word.c)
process_CFLAGS := -I$(OUT)/include $(X86) -Wl,-T,$(ROOT)/tests/host/initcalls.ld
$(OUT)/test_process: $(OUT)/include/generated/dispatch.h
process_LEVEL := -O1
