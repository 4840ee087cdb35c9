/* SPDX-License-Identifier: MIT */
/* interrupt.c - another kernel rang (bell.c). */
#include <arch/apic.h>
#include <arch/trap.h>
#include <board/scc.h>
#include <hal/upcalls.h>

#include "ring.h"

/* A bell of core 0 says that there is room in the ring that it empties; of another one, to core 0, that one is to be
 * emptied. */
bool trap_settled(struct trap_frame *f)
{
    if (f->vector != VEC_BELL || !apic_in_service(VEC_BELL))
        return false;
    apic_eoi();
    u32 *rang = scc_shared()->rang[scc_core];
    for (unsigned i = 0; i < 2; i++)
        __atomic_exchange_n(&rang[i], 0, __ATOMIC_SEQ_CST);
    if (scc_core)
        core_irq_console(0);
    else
        ring_reader_wake();
    core_irq_exit();
    return true;
}
