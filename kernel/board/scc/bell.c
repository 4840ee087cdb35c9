/* SPDX-License-Identifier: MIT */
/*
 * bell.c - interrupts another core, and starts the others at boot.
 *
 * The chip's Global Interrupt Controller has a status word for each core, in which the receiver reads who rang. Here it
 * is a word of shared memory: the sender sets its bit in the receiver's word, then interrupts it by the local APIC,
 * whose interrupts do not name their sender. Rings that come together are one interrupt; the bits stay until they are
 * taken. The sender also looks at the receiver's mask and configuration, as the controller would (board/gic.h). If they
 * hold it back its bit stays, and it looks again behind that: the receiver may have changed them meanwhile
 * (tests/model/gic_mask.pml).
 *
 * In a fleet each core is an emulated machine of its own, and a device that they share stands for the local APIC: a
 * store to its register sends the same vector to another machine, as the start-up code has set up (reset.S).
 */
#include <arch/apic.h>
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/trap.h>
#include <board/gic.h>
#include <errors.h>
#include <hal/memory.h>
#include <hal/mpbt.h>

#define DOORBELL_OFFSET 12 /* of the device's register; the upper half of its value is the core, the lower 0 */

volatile u32 *scc_doorbell;

/* Returns whether the core's words hold this one's rings back. BT finds the word itself. */
static __inlined bool is_held(unsigned core)
{
    bool masked;
    const struct scc_shared *s = scc_shared();
    __asm__ volatile("btl %2, %1" : "=@ccc"(masked) : "m"(s->mask[core]), "r"(scc_core));
    return masked || !(READ_ONCE(s->configuration[core]) & SCC_LINT0);
}

/* Returns whether they still do when this core's bit is set. */
static __cold __noinline bool leave_bit(unsigned core)
{
    scc_set_bit(scc_shared()->rang[core]);
    return is_held(core);
}

void scc_bell(unsigned core)
{
    scc_set_bit(scc_shared()->rang[core]);
    scc_interrupt(core);
}

void scc_interrupt(unsigned core)
{
    if (unlikely(is_held(core)) && leave_bit(core))
        return;
    scc_raise(core);
}

void scc_raise(unsigned core)
{
    cache_mark_bell(scc_shared(), core);
    if (scc_doorbell)
        *scc_doorbell = core << 16;
    else
        apic_icr(core, VEC_BELL);
}

__init_text int scc_doorbell_init(void)
{
    if (!scc_registers)
        return 0;
    u8 *registers = hal_map_device(scc_registers, PAGE_SIZE);
    if (!registers)
        return -ENODEV;
    scc_doorbell = (volatile u32 *)(registers + DOORBELL_OFFSET);
    return 0;
}

/* Start the other cores, which wait for their start-up interrupt from reset on. There is no INIT before it: a core
 * that the emulator's host runs late would take the INIT after the start-up interrupt, and wait for another one. Cores
 * of a fleet are started by the host when the clocks are measured. */
__init_text void scc_start_others(void)
{
    for (unsigned core = 1; core < SCC_CORES && !scc_doorbell; core++)
        if (scc_chosen(core))
            apic_icr(core, SCC_ICR_STARTUP | scc_start_page);
}
