# SPDX-License-Identifier: MIT
TESTS += console
console_SRC := $(CORE_SRC)
TESTS += console_ports
console_ports_SRC := $(console_SRC)
