# SPDX-License-Identifier: MIT
TESTS += vm
vm_SRC := kernel/vm/vm.c kernel/vm/stats.c kernel/vm/here_all.c kernel/lib/string.c
vm_CFLAGS := $(X86) -Wl,-T,$(ROOT)/tests/host/initcalls.ld
