# SPDX-License-Identifier: MIT
TESTS += turns
turns_SRC := $(CORE_SRC)
