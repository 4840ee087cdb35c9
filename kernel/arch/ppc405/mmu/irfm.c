/* SPDX-License-Identifier: MIT */
/* irfm.c - shows the register page to the guest's privileged mode (paper 2.3). */
#include "mmu.h"
#include <partition/table.h>

u32 register_page(struct vm *vm, u32 ea)
{
    if (ea < REGPAGE_EA || !(vm->conf->flags & PT_IRFM))
        return 0;
    return (u32)(uintptr_t)regs_of(vm) | TLBLO_WR;
}
