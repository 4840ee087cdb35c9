/* SPDX-License-Identifier: MIT */
/*
 * spr.c - special purpose registers from C: those that are not storage, and the rare ways of those that
 * are (emulate_tables.c). A number that no register has leaves everything as it is, as the board does.
 */
#include <arch/cpu.h>
#include <arch/deliver.h>
#include <arch/devices.h>
#include <arch/emulate_tables.h>
#include <arch/mmu.h>
#include <core/partition.h>

void spr_read(struct vm *vm, u32 spr, u32 *value)
{
    bool special;
    u32 *slot = spr_slot(vm, spr, &special);
    if (slot)
        *value = *slot;
    else if (spr == SPR_PVR)
        *value = mfspr(SPR_PVR);
    else if (spr == SPR_TSR || spr == SPR_TCR || spr == SPR_PIT)
        *value = timer_read(vm, spr);
}

void spr_write(struct vm *vm, u32 spr, u32 value)
{
    bool special;
    u32 *slot = spr_slot(vm, spr, &special);

    switch (spr) {
    case SPR_PID:
        mmu_set_pid(vm, value & 0xff);
        return;
    case SPR_ZPR:
        mmu_set_zpr(vm, value);
        return;
    case SPR_TSR:
    case SPR_TCR:
    case SPR_PIT:
        timer_write(vm, spr, value);
        return;
    case SPR_DBSR:
        *slot &= ~value;
        return;
    case SPR_ICDBDR: /* read only */
        return;
    case SPR_DBCR0:
        *slot = value;
        if (value & DBCR0_RST_MASK)
            vm_event(vm, PT_ON_RESET, vm->ctx.pc, value);
        return;
    }
    if (slot)
        *slot = value;
}
