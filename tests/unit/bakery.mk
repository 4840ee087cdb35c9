# SPDX-License-Identifier: MIT
TESTS += bakery
bakery_SRC := kernel/partition/bakery.c guests/ppc405/locks/sem.c
bakery_FIRST := -I$(ROOT)/tests/host/include -I$(ROOT)/kernel/arch/ppc405/include -I$(ROOT)/guests/ppc405/locks -pthread
