# SPDX-License-Identifier: MIT
TESTS += awake
awake_INCLUDES := kernel/core/awake.c kernel/cluster/cores.c
awake_SRC := kernel/core/timer.c kernel/core/timer_set.c
awake_CFLAGS := -DSCHED_WINDOWS=0 -I$(OUT)/include $(X86) -Wl,-T,$(ROOT)/tests/host/initcalls.ld
$(OUT)/test_awake: $(OUT)/include/generated/core_calls.h
$(OUT)/include/generated/core_calls.h: $(ROOT)/kernel/api/core.yaml $(wildcard $(ROOT)/tools/amalgam/api/*.py)
	@mkdir -p $(@D)
	$(PYTHON) $(ROOT)/tools/amalgam/api/generate.py kernel $@ core
