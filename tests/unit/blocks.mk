# SPDX-License-Identifier: MIT
TESTS += blocks
blocks_SRC := kernel/handle/handle.c kernel/handle/calls.c kernel/process/part.c
blocks_FIRST := -I$(ROOT)/tests/host/smp -pthread
blocks_CFLAGS := -I$(OUT)/include $(X86) -DNO_LOCK_ORDER -Wl,-T,$(ROOT)/tests/host/initcalls.ld
$(OUT)/test_blocks: $(ROOT)/kernel/device/blocks.c $(OUT)/include/generated/blocks_calls.h $(OUT)/include/generated/handle_calls.h
$(OUT)/include/generated/blocks_calls.h: $(ROOT)/kernel/api/blocks.yaml $(wildcard $(ROOT)/tools/amalgam/api/*.py)
	@mkdir -p $(@D)
	@$(PYTHON) $(ROOT)/tools/amalgam/api/generate.py kernel $@ blocks
