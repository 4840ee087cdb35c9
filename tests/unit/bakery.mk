# SPDX-License-Identifier: MIT
TESTS += bakery
bakery_SRC := kernel/core/partition/bakery.c kernel/core/partition/sem.c
bakery_FIRST := -I$(ROOT)/tests/host/include -I$(ROOT)/kernel/arch/ppc405/include -pthread
