/* SPDX-License-Identifier: MIT */
/*
 * bell.c - interrupts another core, and starts the others at boot.
 *
 * The chip's Global Interrupt Controller has a status word for each core, in which the receiver reads who rang. Here it
 * is a word of shared memory: the sender sets its bit in the receiver's word, then interrupts it by the local APIC,
 * whose interrupts do not name their sender. Rings that come together are one interrupt; the bits stay until they are
 * taken.
 */
#include <arch/apic.h>
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/trap.h>
#include <board/scc.h>
#include <hal/mpbt.h>

void scc_bell(unsigned core)
{
    __atomic_fetch_or(&scc_shared()->rang[core][scc_core / 32], 1u << scc_core % 32, __ATOMIC_SEQ_CST);
    scc_interrupt(core);
}

void scc_interrupt(unsigned core)
{
    cache_mark_bell(scc_shared(), core);
    apic_icr(core, VEC_BELL);
}

/* Start the other cores, which wait for their start-up interrupt from reset on. There is no INIT before it: a core
 * that the emulator's host runs late would take the INIT after the start-up interrupt, and wait for another one. */
__init_text void scc_start_others(void)
{
    for (unsigned core = 1; core < SCC_CORES; core++)
        if (scc_chosen(core))
            apic_icr(core, SCC_ICR_STARTUP);
}
