# SPDX-License-Identifier: MIT
FUZZERS += spawn
spawn_SRC := kernel/spawn/calls.c kernel/process/program.c
spawn_CFLAGS := -DSPAWN=1 -I$(OUT)/include $(X86)
spawn_MAX_LEN := 512
$(OUT)/fuzz_spawn: $(OUT)/include/generated/spawn_calls.h
$(OUT)/include/generated/spawn_calls.h: $(ROOT)/kernel/api/spawn.yaml
	@mkdir -p $(@D)
	@$(PYTHON) $(ROOT)/tools/amalgam/api/generate.py kernel $@ spawn
