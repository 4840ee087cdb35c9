# SPDX-License-Identifier: MIT
TESTS += sched
sched_SRC := $(CORE_SRC) kernel/core/hurry.c
TESTS += window
window_SRC := $(CORE_SRC)
