# SPDX-License-Identifier: MIT
TESTS += guest_walk
guest_walk_SRC := kernel/arch/x86_64/guest_walk.c
guest_walk_CFLAGS := -I$(ROOT)/kernel/arch/x86_64/include
