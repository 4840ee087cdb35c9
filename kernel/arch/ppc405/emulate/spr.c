/* SPDX-License-Identifier: MIT */
/*
 * spr.c - special purpose registers in C: those that do more than store a value, and rare cases of the others
 * (emulate_tables.c).
 *
 * A number without a register does nothing, as on the board.
 */
#include <arch/cpu.h>
#include <arch/deliver.h>
#include <arch/devices.h>
#include <arch/emulate_tables.h>
#include <arch/mmu.h>
#include <partition/partition.h>

/* Registers that the board refuses with a privileged instruction exception even in supervisor state. */
static bool refused(u32 spr, bool write)
{
    u32 set = 0;
    if (spr < 32) /* 0: POWER's MQ; reading also its clocks and decrementer */
        set = write ? 0x01 : 0x71;
    else if (write && spr / 32 == SPR_USPRG0 / 32) /* USPRG0, the users' numbers of SPRG4-7, PVR */
        set = 0x800000f1;
    else if (write && spr == SPR_ICDBDR)
        return true;
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
    case SPR_PID: mmu_set_pid(vm, value & 0xff); break;
    case SPR_ZPR: mmu_set_zpr(vm, value); break;
    case SPR_TSR:
    case SPR_TCR:
    case SPR_PIT: timer_write(vm, spr, value); break;
    case SPR_DBSR: *slot &= ~value; break;
    case SPR_DBCR0:
        *slot = value;
        if (value & DBCR0_RST_MASK)
            partition_event(vm, PT_ON_RESET, vm->ctx.pc - 4, value);
        break;
    }
    return true;
}
