# SPDX-License-Identifier: MIT
TESTS += handle
handle_SRC := kernel/handle/calls.c kernel/handle/handle.c kernel/process/part.c
handle_FIRST := -I$(ROOT)/tests/host/smp -pthread
handle_CFLAGS := -I$(OUT)/include $(X86) -DNO_LOCK_ORDER -Wl,-T,$(ROOT)/tests/host/initcalls.ld
$(OUT)/test_handle: | $(OUT)/include/generated/handle_calls.h
$(OUT)/include/generated/handle_calls.h: $(ROOT)/kernel/api/handle.yaml $(wildcard $(ROOT)/tools/amalgam/api*.py)
	@mkdir -p $(@D)
	@$(PYTHON) $(ROOT)/tools/amalgam/api.py kernel $@ handle
