# SPDX-License-Identifier: MIT
PYTHON ?= python3
TESTS += frame_calls
frame_calls_SRC := $(addprefix kernel/process/,frame_calls.c frames.c lazy.c)
frame_calls_CFLAGS := -I$(OUT)/include $(X86)
$(OUT)/test_frame_calls: $(OUT)/include/generated/dispatch.h
$(OUT)/include/generated/process_calls.h: $(ROOT)/kernel/api/process.yaml $(wildcard $(ROOT)/tools/amalgam/api/*.py)
	@mkdir -p $(@D)
	@$(PYTHON) $(ROOT)/tools/amalgam/api/generate.py kernel $@ process
# In a shape without other parts.
$(OUT)/include/generated/dispatch.h: $(OUT)/include/generated/process_calls.h
	@$(PYTHON) $(ROOT)/tools/amalgam/api/generate.py dispatch $@ process
frame_calls_LEVEL := -O1
