# SPDX-License-Identifier: MIT
TESTS += domain
domain_SRC := $(CORE_SRC) $(addprefix kernel/core/,domain.c keeper.c elsewhere.c system_table.c system_check.c system_outline.c monitor.c report.c panic.c)
TESTS += domain_stop
domain_stop_SRC := $(filter-out %/panic.c,$(domain_SRC))
