# SPDX-License-Identifier: MIT
TESTS += ppc_mmu
ppc_mmu_SRC := $(addprefix kernel/arch/ppc405/,$(addprefix mmu/,mmu.c shadow.c tlb.c area.c irfm.c device.c) $(addprefix previrt/,previrt.c previrt_handler.c previrt_store.c))
ppc_mmu_FIRST := -I$(ROOT)/tests/host/ppc405 -I$(ROOT)/kernel/arch/ppc405/include -I$(ROOT)/kernel/arch/ppc405/mmu -I$(ROOT)/kernel/board/ref405ep/include
