# SPDX-License-Identifier: MIT
TESTS += console
console_SRC := $(CORE_SRC)
