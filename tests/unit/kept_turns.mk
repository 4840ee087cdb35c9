# SPDX-License-Identifier: MIT
TESTS += kept_turns
kept_turns_SRC := $(CORE_SRC)
kept_turns_CFLAGS := -DSCHED_KEPT=1
