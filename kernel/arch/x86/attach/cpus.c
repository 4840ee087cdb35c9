/* SPDX-License-Identifier: MIT */
/* cpus.c - the CPUs of the Linux above, as hal/attach.h offers them to kernel/attach/. attach/cpu.c creates them. */
#include <arch/apic.h>
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/trap.h>
#include <core/cores.h>

#include "linux_cpu.h"

struct linux_cpu *linux_cpus[ATTACH_MAX_CPUS];
unsigned n_linux_cpus;

struct linux_cpu *linux_cpu_find(u32 apic_id)
{
    for (unsigned i = 0; i < n_linux_cpus; i++)
        if (linux_cpus[i]->apic_id == apic_id)
            return linux_cpus[i];
    return NULL;
}

u32 linux_cpu_state(const struct linux_cpu *l) { return READ_ONCE(l->state); }

void linux_cpu_leaves(struct linux_cpu *l) { WRITE_ONCE(l->state, ATTACH_CPU_BARE); }

/* Caches are written back, too: Linux's data in the memory that it gives must be written before others write there. */
void linux_cpu_flush(struct linux_cpu *l)
{
    wbinvd();
    l->flushed = __atomic_load_n(&linux_space_version, __ATOMIC_SEQ_CST);
    l->vmcb->tlb_control = TLB_FLUSH_ALL;
}

bool linux_any_bare(void)
{
    for (unsigned i = 0; i < n_linux_cpus; i++)
        if (READ_ONCE(linux_cpus[i]->state) == ATTACH_CPU_BARE)
            return true;
    return false;
}

bool linux_all_flushed(u64 version)
{
    for (unsigned i = 0; i < n_linux_cpus; i++)
        if (linux_cpu_runs(linux_cpus[i]) && READ_ONCE(linux_cpus[i]->flushed) < version)
            return false;
    return true;
}

u64 linux_exits(void)
{
    u64 sum = 0;
    for (unsigned i = 0; i < n_linux_cpus; i++)
        sum += READ_ONCE(linux_cpus[i]->exits);
    return sum;
}

bool linux_needs(paddr_t base, u64 size) { return machine.lapic - base < size; }

int hal_map_given(paddr_t base) { return paging_map((u64)phys_to_virt(base), base, 2 * MIB, PTE_W | PTE_NX | PTE_G); }

void hal_write_back(void) { wbinvd(); }

bool cores_dead(void) { return READ_ONCE(cpus_stopping); }

void hal_write_back_range(const void *from, u64 size)
{
    u64 line = cpuid(1, 0).ebx >> 8 & 0xff;
    for (u64 at = 0, step = 8 * line; at < size; at += step)
        clflush((const char *)from + at);
    mp_fence();
}

void core_ring(bool split)
{
    const struct cpu *c = READ_ONCE(cpus[0]); /* it may leave meanwhile: its record stays, and its APIC is off */
    if (c && core_present(0))
        apic_icr(c->arch.apic_id, split ? VEC_SPLIT : VEC_CONSOLE1);
}
