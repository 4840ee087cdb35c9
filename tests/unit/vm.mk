# SPDX-License-Identifier: MIT
TESTS += vm
vm_SRC := kernel/vm/vm.c kernel/lib/string.c
vm_CFLAGS := -I$(ROOT)/kernel/arch/x86_64/include -Wl,-T,$(ROOT)/tests/host/initcalls.ld
