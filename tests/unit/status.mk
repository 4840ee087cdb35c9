# SPDX-License-Identifier: MIT
TESTS += status
status_SRC := $(domain_SRC) $(addprefix kernel/status/,calls.c grant.c priority.c rings.c) kernel/handle/handle.c kernel/process/part.c
status_CFLAGS := -I$(OUT)/include $(X86) -Wl,-T,$(ROOT)/tests/host/initcalls.ld
$(OUT)/test_status: $(OUT)/include/generated/status_calls.h $(OUT)/include/generated/handle_calls.h
$(OUT)/include/generated/status_calls.h: $(ROOT)/kernel/api/status.yaml $(wildcard $(ROOT)/tools/amalgam/api/*.py)
	@mkdir -p $(@D)
	@$(PYTHON) $(ROOT)/tools/amalgam/api/generate.py kernel $@ status
