/* SPDX-License-Identifier: MIT */
/* interrupt.c - another kernel rang (bell.c). */
#include <arch/apic.h>
#include <arch/cpu.h>
#include <arch/trap.h>
#include <board/scc.h>
#include <hal/upcalls.h>
#include <mailbox/mailbox.h>

#include "ring.h"

/* Without mailboxes. */
__optional void mailbox_rang(void) {}

/* A bell of core 0 says that there is room in the ring that it empties; of another one, to core 0, that one is to be
 * emptied. */
static void console_rang(void)
{
    if (scc_core)
        core_irq_console(0);
    else
        ring_reader_wake();
}

bool trap_settled(struct trap_frame *f)
{
    if (f->vector != VEC_BELL || !apic_in_service(VEC_BELL))
        return false;
    apic_eoi();
    u32 *rang = scc_shared()->rang[scc_core];
    if (READ_ONCE(rang[0]) | READ_ONCE(rang[1])) {
        rang[0] = rang[1] = 0; /* before the look at what they have to say: who comes later rings again */
        mp_fence();
        console_rang();
    }
    mailbox_rang();
    core_irq_exit();
    return true;
}
