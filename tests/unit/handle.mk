# SPDX-License-Identifier: MIT
TESTS += handle
handle_SRC := kernel/handle/calls.c kernel/handle/handle.c kernel/process/part.c
handle_FIRST := -I$(ROOT)/tests/host/smp -pthread
handle_CFLAGS := -I$(OUT)/include $(X86) -DNO_LOCK_ORDER -Wl,-T,$(ROOT)/tests/host/initcalls.ld
$(OUT)/test_handle: $(OUT)/include/generated/handle_calls.h
$(OUT)/include/generated/handle_calls.h: $(ROOT)/kernel/api/handle.yaml $(wildcard $(ROOT)/tools/amalgam/api/*.py)
	@mkdir -p $(@D)
	@$(PYTHON) $(ROOT)/tools/amalgam/api/generate.py kernel $@ handle

TESTS += handle_memory
handle_memory_SRC := $(CORE_SRC) $(addprefix kernel/handle/,calls.c channel.c handle.c memory.c views.c) \
                     $(addprefix kernel/process/,flush.c frames.c lazy.c map.c part.c pin.c)
handle_memory_CFLAGS := -I$(OUT)/include $(X86) -Wl,-T,$(ROOT)/tests/host/initcalls.ld
$(OUT)/test_handle_memory: $(OUT)/include/generated/dispatch.h $(OUT)/include/generated/handle_calls.h

TESTS += handle_pages
handle_pages_SRC := $(handle_memory_SRC) $(addprefix kernel/handle/,derived.c inspect.c pages.c)
handle_pages_CFLAGS := $(handle_memory_CFLAGS) -DHANDLE_PAGES=1
$(OUT)/test_handle_pages: $(OUT)/include/generated/dispatch.h $(OUT)/include/generated/handle_calls.h $(OUT)/include/generated/pages_calls.h
$(OUT)/include/generated/pages_calls.h: $(ROOT)/kernel/api/pages.yaml $(wildcard $(ROOT)/tools/amalgam/api/*.py)
	@mkdir -p $(@D)
	@$(PYTHON) $(ROOT)/tools/amalgam/api/generate.py kernel $@ pages
handle_memory_LEVEL := -O1
handle_pages_LEVEL := -O1
