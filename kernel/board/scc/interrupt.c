/* SPDX-License-Identifier: MIT */
/* interrupt.c - handles rings of other kernels (bell.c), interrupts of devices that processes drive, and page faults of
 * shared memory and of copies from and to processes. */
#include <arch/apic.h>
#include <arch/cpu.h>
#include <arch/line.h>
#include <arch/trap.h>
#include <board/gic.h>
#include <hal/cache.h>
#include <hal/upcalls.h>

#include "ring.h"

#define FAULT_WRITE 2u /* in the error code: the access was a write */

/* Serve a fault in shared memory, which may wait for another core, if the thread held no lock. Returns whether it was
 * served. CR2 is restored for the report of a fault that is not. Copies from and to processes are made with interrupts
 * off (process/copy.c). */
static bool page_fault(struct trap_frame *f)
{
    u32 at = (u32)read_cr2();
    if (!arch_frame_irqs_on(f))
        return trap_user_copy(f);
    irq_enable();
    bool served = svm_fault(at, f->error & FAULT_WRITE);
    irq_disable();
    write_cr2(at);
    return served;
}

/* At core 0 a ring means that a core's text is to be printed; at others, that core 0 has made room in their ring. */
static void console_rang(void)
{
    if (scc_core)
        core_irq_console(0);
    else
        ring_reader_wake();
}

bool trap_handle_unexpected(struct trap_frame *f)
{
    if (f->vector == VEC_PF)
        return page_fault(f);
    if (f->vector != VEC_BELL || !apic_in_service(VEC_BELL))
        return line_interrupt(f);
    cache_mark_serve();
    apic_eoi();
    const u32 *rang = scc_shared()->rang[scc_core];
    /* before the text is read: a later writer rings again */
    if ((READ_ONCE(rang[0]) | READ_ONCE(rang[1])) && scc_gic_take()) {
        cache_mark_awaited();
        console_rang();
    }
    mail_rang();
    net_rang();
    cache_mark_served();
    core_irq_exit();
    return true;
}
