/* SPDX-License-Identifier: MIT */
/* ipi.c - interrupts another core: through the ACLINT's SSWI, whose registers supervisor mode may write, or by the
 * firmware. */
#include <arch/cpu.h>
#include <arch/sbi.h>
#include <core/cpu.h>
#include <hal/cpu.h>

#include "ipi.h"

bool cpus_stopping;

static void ring(const struct cpu *c)
{
    if (c->arch.bell) {
        __asm__ volatile("fence w, o" ::: "memory");
        *c->arch.bell = 1;
    } else {
        sbi_send_ipi(c->arch.hart);
    }
}

void hal_ipi_resched(unsigned cpu) { ring(cpus[cpu]); }

/* A core that keeps interrupts off does not notice it: supervisor mode has no NMI. */
void hal_stop_others(void)
{
    WRITE_ONCE(cpus_stopping, true);
    for (unsigned i = 0; i < n_cpus; i++)
        if (cpus[i] != this_cpu())
            ring(cpus[i]);
}
