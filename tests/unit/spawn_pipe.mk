# SPDX-License-Identifier: MIT
TESTS += spawn_pipe
spawn_pipe_SRC := kernel/spawn/pipe.c kernel/spawn/input.c kernel/handle/handle.c kernel/process/part.c
spawn_pipe_FIRST := -I$(ROOT)/tests/host/smp -pthread
spawn_pipe_CFLAGS := -DSPAWN=1 -I$(OUT)/include $(X86) -DNO_LOCK_ORDER -Wl,-T,$(ROOT)/tests/host/initcalls.ld \
                     -Wl,--wrap=handle_withdraw
$(OUT)/test_spawn_pipe: $(OUT)/include/generated/spawn_calls.h
$(OUT)/include/generated/spawn_calls.h: $(ROOT)/kernel/api/spawn.yaml $(wildcard $(ROOT)/tools/amalgam/api/*.py)
	@mkdir -p $(@D)
	@$(PYTHON) $(ROOT)/tools/amalgam/api/generate.py kernel $@ spawn
