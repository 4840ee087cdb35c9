/* SPDX-License-Identifier: MIT */
/*
 * trap.c - handles traps to M-mode: a call of the kernel, a ring of another hart's firmware or of another machine of
 * the fleet, an interrupt of a device, a timer interrupt at which the cluster has to be killed. All other traps are
 * delegated to S-mode; an exception in the firmware itself stops the hart.
 */
#include "csr.h"
#include "hart.h"

void trap(ulong id, struct frame *frame, ulong cause);

/* Called by trap_entry (start.S) with the hart's number, the registers of the interrupted mode and mcause. */
void trap(ulong id, struct frame *frame, ulong cause)
{
    struct hart *me = &harts[id];
    if ((csr_read(mstatus) & MSTATUS_MPP) == MSTATUS_M) {
        console_say(me->cluster, "the firmware has a fault; one hart less");
        for (;;)
            wfi();
    }
    if (cause == CAUSE_ECALL) {
        csr_write(mepc, csr_read(mepc) + 4);
        sbi_call(me, frame);
    } else if (cause == CAUSE_MS) {
        mswi_clear(me->id);
        bell_rung(me);
    } else if (cause == CAUSE_MT) {
        cluster_timer(me);
    } else if (cause == CAUSE_ME && is_fleet()) {
        bell_foreign();
    } else if (cause == CAUSE_ME) {
        device_interrupt(me);
    }
    if (__atomic_load_n(&clusters[me->cluster].order, __ATOMIC_ACQUIRE))
        hart_park(me);
}
