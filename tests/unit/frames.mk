# SPDX-License-Identifier: MIT
TESTS += frames
frames_SRC := $(CORE_SRC) kernel/core/fresh.c
