/* SPDX-License-Identifier: MIT */
/* core_stop.c - stops all cores for good before the machine is reset, so that none writes memory any more. */
#include <arch/apic.h>
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/trap.h>
#include <core/log.h>
#include <hal/context.h>
#include <hal/cpu.h>
#include <hal/time.h>

#include "linux_cpu.h"

#define FPU_AREA 4096
#define ICR_NMI  (4u << 8)
#define STOP_NS  1000000000 /* a core that has not stopped by then will not */

void core_clear_extended_state(void)
{
    static u8 area[FPU_AREA] __aligned(64);
    struct fpu blank;
    if (fpu_state_size() > sizeof(area))
        panic("extended state takes %llu bytes", (u64)fpu_state_size());
    fpu_state_init(&blank, area);
    fpu_switch(NULL, &blank);
}

static bool ending;

bool cores_ending(void) { return READ_ONCE(ending); }

void core_stop_here(void)
{
    core_clear_extended_state(); /* a reset by INIT keeps it (APM vol. 2, 14.1.3) */
    WRITE_ONCE(container_of(this_cpu(), struct linux_cpu, core)->stopped, true);
    hal_halt();
}

static bool is_core(const struct linux_cpu *l) { return READ_ONCE(l->state) >= ATTACH_CPU_CORE; }

void cores_stop(void)
{
    WRITE_ONCE(ending, true);
    mp_fence();
    for (unsigned i = 0; i < n_linux_cpus; i++)
        if (is_core(linux_cpus[i]))
            apic_icr(linux_cpus[i]->apic_id, ICR_NMI);
    ticks_t end = time_after(STOP_NS);
    for (unsigned i = 0; i < n_linux_cpus; i++)
        while (is_core(linux_cpus[i]) && !READ_ONCE(linux_cpus[i]->stopped) && time_now() < end)
            cpu_relax();
}
