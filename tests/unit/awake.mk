# SPDX-License-Identifier: MIT
TESTS += awake
awake_INCLUDES := kernel/core/awake.c
awake_SRC := kernel/core/timer.c kernel/core/timer_set.c
awake_CFLAGS := -DSCHED_WINDOWS=0 -Wl,-T,$(ROOT)/tests/host/initcalls.ld
