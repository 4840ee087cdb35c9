# SPDX-License-Identifier: MIT
FUZZERS += guest_walk
guest_walk_SRC := kernel/vm/pc/guest_walk.c
guest_walk_CFLAGS := -include $(ROOT)/tests/host/x86.h $(X86) -I$(ROOT)/kernel/vm/pc
guest_walk_MAX_LEN := 256
