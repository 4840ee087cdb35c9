/* SPDX-License-Identifier: MIT */
/*
 * trap.c - unexpected interrupts and exceptions, in the kernel that runs beside Linux.
 *
 * On a core that was Linux's, interrupts of Linux may still arrive, and Linux can have a device send more, with any
 * vector from 16 on. Each is ended, counted and dropped. An interrupt with the vector of an exception is told apart by
 * the local APIC, which has it in service. NMIs, which Linux sends to all CPUs when it crashes, are counted, too, and
 * INITs (attach/sx.S). On one of Linux's CPUs the only expected exception is #GP of an MSR that the
 * machine does not have.
 */
#include <arch/apic.h>
#include <arch/trap.h>
#include <core/cpu.h>
#include <core/split.h>
#include <hal/upcalls.h>

#include "linux_cpu.h"
#include "msr.h"

u64 unexpected_interrupts;

bool trap_handle_unexpected(struct trap_frame *f)
{
    if (f->vector == VEC_GP && (f->rip == (u64)msr_at_risk_read || f->rip == (u64)msr_at_risk_write)) {
        f->rip = (u64)msr_failed;
        return true;
    }
    if (trap_user_copy(f))
        return true;
    if (f->vector == VEC_NMI && cores_ending())
        core_stop_here();
    if (f->vector == VEC_SPLIT && this_cpu()->id == 0) {
        apic_eoi();
        core_clock_answer();
        split_irq();
        core_irq_exit();
        return true;
    }
    bool interrupt = f->vector >= 32 || (f->vector >= 16 && apic_in_service(f->vector));
    if (!interrupt && f->vector != VEC_NMI)
        return false;
    __atomic_fetch_add(&unexpected_interrupts, 1, __ATOMIC_RELAXED);
    if (interrupt)
        apic_eoi();
    return true;
}
