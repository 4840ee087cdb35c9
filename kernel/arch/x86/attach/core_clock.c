/* SPDX-License-Identifier: MIT */
/*
 * core_clock.c - compares the time stamp counter of a CPU that becomes a core with that of core 0, by which all time is
 * kept, and corrects it. Root can write it before the first thing is given (later it is sealed, attach/msr.c), and a
 * machine may have set its counters differently.
 *
 * Core 0 answers an interrupt with its counter. That must lie between the CPU's own before and after.
 */
#include <arch/apic.h>
#include <arch/cpu.h>
#include <arch/trap.h>
#include <core/log.h>
#include <hal/time.h>

#include "linux_cpu.h"

#define MSR_TSC   0x10
#define ANSWER_NS 10000000 /* core 0 takes interrupts within microseconds */

void core_clock_answer(void)
{
    for (unsigned i = 0; i < n_linux_cpus; i++)
        if (READ_ONCE(linux_cpus[i]->clock) == CLOCK_ASKED)
            WRITE_ONCE(linux_cpus[i]->clock, time_now());
}

void core_clock_compare(struct linux_cpu *l, const struct cpu *first)
{
    if (!first)
        return;
    WRITE_ONCE(l->clock, CLOCK_ASKED);
    ticks_t from = time_now(), to, patience = time_from_ns(ANSWER_NS);
    apic_icr(first->arch.apic_id, VEC_SPLIT);
    do
        to = time_now();
    while (READ_ONCE(l->clock) == CLOCK_ASKED && to - from < patience);
    u64 there = READ_ONCE(l->clock);
    WRITE_ONCE(l->clock, 0);
    if (there == CLOCK_ASKED || (there >= from && there <= to)) /* core 0 has left meanwhile, or they agree */
        return;
    s64 ahead = (s64)(from + (to - from) / 2 - there);
    printk("amalgam: the time stamp counter of CPU %u was %lld ticks ahead of core 0's: corrected\n", l->apic_id,
           ahead);
    wrmsr(MSR_TSC, time_now() - (u64)ahead);
}
