# SPDX-License-Identifier: MIT
TESTS += printk
printk_SRC := $(CORE_SRC)
printk_CFLAGS := -Wno-format-security -Wno-format -Wno-format-truncation
