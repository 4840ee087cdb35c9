# SPDX-License-Identifier: MIT
# The test includes seed.c, whose state it sets back.
TESTS += seed
seed_INCLUDES := kernel/process/seed.c
seed_SRC := $(CORE_SRC)
seed_CFLAGS := -I$(OUT)/include -DSEED=1 $(X86) -Wl,-T,$(ROOT)/tests/host/initcalls.ld
$(OUT)/test_seed: $(OUT)/include/generated/dispatch.h
