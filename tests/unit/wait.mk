# SPDX-License-Identifier: MIT
TESTS += wait
wait_SRC := $(CORE_SRC)
