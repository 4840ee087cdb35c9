# SPDX-License-Identifier: MIT
TESTS += vm_here
vm_here_SRC := kernel/vm/here.c
vm_here_FIRST := -I$(ROOT)/kernel/board/scc/include
vm_here_CFLAGS := $(X86)
