# SPDX-License-Identifier: MIT
PYTHON ?= python3
TESTS += hypercall
hypercall_SRC := kernel/vm/hypercall.c
hypercall_CFLAGS := -I$(OUT)/include $(X86)
$(OUT)/test_hypercall: $(OUT)/include/generated/api_calls.h
$(OUT)/include/generated/api_calls.h: $(ROOT)/kernel/api/calls.yaml $(ROOT)/tools/amalgam/api/generate.py
	@mkdir -p $(@D)
	@$(PYTHON) $(ROOT)/tools/amalgam/api/generate.py kernel $@
