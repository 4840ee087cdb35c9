# SPDX-License-Identifier: MIT
TESTS += timer
timer_SRC := $(CORE_SRC)
