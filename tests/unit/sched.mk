# SPDX-License-Identifier: MIT
TESTS += sched
sched_SRC := $(CORE_SRC)
TESTS += window
window_SRC := $(CORE_SRC)
