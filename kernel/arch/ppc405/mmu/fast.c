/* SPDX-License-Identifier: MIT */
/* fast.c - computes the words of a VM's record that miss.S and previrt_call.S read (CONFIG_FAST). */
#include "mmu.h"
#include <arch/devices.h>
#include <arch/previrt.h>
#include <partition/table.h>

#define BLOCK 0x1000000u /* the largest page */

void fast_reset(struct vm *vm)
{
    bool page = vm->conf->flags & PT_IRFM;
    vm->calls = vm->stubs & PREVIRT_NOT ? (page ? REGPAGE_EA - 1 : ~0u) : (u32)PREVIRT_CALLS - 1;
    vm->table = vm->base + vm->stubs;
    vm->whole = (vm->base | vm->size) % BLOCK ? 0 : vm->size;
}
