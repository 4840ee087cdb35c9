# SPDX-License-Identifier: MIT
TESTS += relax
relax_SRC := kernel/arch/riscv/cpu/traps.c kernel/arch/riscv/cpu/noc_none.c
relax_FIRST := -I$(ROOT)/tests/host/riscv
relax_CFLAGS := -I$(OUT)/include -I$(ROOT)/kernel/arch/riscv/include -I$(ROOT)/kernel/board/virt/include
$(OUT)/test_relax: $(OUT)/include/generated/riscv_relax.h
$(OUT)/include/generated/riscv_relax.h: $(ROOT)/kernel/arch/riscv/include/arch/cpu.h
	@mkdir -p $(@D)
	@sed -n '/cpu_relax(void)/,/^}/s/__asm__.*wfi.*/host_wfi();/p' $< | grep -q host_wfi
	@sed -n '/cpu_relax(void)/,/^}/{s/__asm__.*wfi.*/host_wfi();/;p}' $< >$@
