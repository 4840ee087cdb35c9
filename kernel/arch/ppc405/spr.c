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

/* Numbers whose access the board takes for a privileged instruction even in supervisor state. */
static bool refused(u32 spr, bool write)
{
    u32 set = write ? 1u << 0 : 1u << 0 | 1u << 4 | 1u << 5 | 1u << 6; /* of 0..31: POWER's MQ, RTC and DEC */
    if (write && (spr & ~31u) == SPR_USPRG0)
        set = 1u << 0 | 1u << 4 | 1u << 5 | 1u << 6 | 1u << 7 | 1u << (SPR_PVR - SPR_USPRG0); /* and users' SPRG4-7 */
    else if (write && spr == SPR_ICDBDR)
        return true;
    else if (spr > 31)
        return false;
    return set >> (spr & 31) & 1;
}

bool spr_read(struct vm *vm, u32 spr, u32 *value)
{
    u32 *slot = spr_slot(vm, spr);
    if (slot)
        *value = *slot;
    else if (spr == SPR_PVR)
        *value = mfspr(SPR_PVR);
    else if (spr == SPR_TSR || spr == SPR_TCR || spr == SPR_PIT)
        *value = timer_read(vm, spr);
    else
        return !refused(spr, false);
    return true;
}

bool spr_write(struct vm *vm, u32 spr, u32 value)
{
    u32 *slot = spr_slot(vm, spr);

    if (refused(spr, true))
        return false;
    switch (spr) {
    case SPR_PID:
        mmu_set_pid(vm, value & 0xff);
        break;
    case SPR_ZPR:
        mmu_set_zpr(vm, value);
        break;
    case SPR_TSR:
    case SPR_TCR:
    case SPR_PIT:
        timer_write(vm, spr, value);
        break;
    case SPR_DBSR:
        *slot &= ~value;
        break;
    case SPR_DBCR0:
        *slot = value;
        if (value & DBCR0_RST_MASK)
            vm_event(vm, PT_ON_RESET, vm->ctx.pc, value);
        break;
    }
    return true;
}
