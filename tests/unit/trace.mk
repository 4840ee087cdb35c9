# SPDX-License-Identifier: MIT
TESTS += trace
trace_SRC := $(CORE_SRC)
