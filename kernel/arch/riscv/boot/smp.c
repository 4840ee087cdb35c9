/* SPDX-License-Identifier: MIT */
/*
 * smp.c - starts the other harts, one after the other, by SBI's hart state management.
 *
 * A hart that does not answer within ten seconds is reported and not used. The boot code is not freed then: the hart
 * may still run it later.
 */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/memory.h>
#include <arch/sbi.h>
#include <arch/trap.h>
#include <core/cpu.h>
#include <core/frames.h>
#include <core/log.h>
#include <hal/context.h>
#include <hal/memory.h>
#include <hal/time.h>
#include <hal/upcalls.h>
#include <string.h>

void trap_entry(void); /* cpu/traps.S */

#define PATIENCE_NS 10000000000ull

struct cpu *smp_starting; /* the core whose hart is expected; entry.S reads it */

/* Harts whose registers lie in one page follow each other: it is mapped once. */
static __init_text void give_bell(struct cpu *c, paddr_t bell)
{
    static paddr_t mapped;
    static char *page;
    paddr_t at = bell - bell % PAGE_SIZE;
    if (bell && at != mapped) {
        page = hal_map_device(at, PAGE_SIZE);
        mapped = at;
    }
    if (bell && page)
        c->arch.bell = (volatile u32 *)(page + bell % PAGE_SIZE);
}

static __init_text bool hart_start(struct cpu *c)
{
    char *stack = hal_stack_alloc();
    if (!stack)
        return false;
    c->arch.start_sp = stack + HAL_STACK_SIZE;
    __atomic_store_n(&smp_starting, c, __ATOMIC_RELEASE);
    long err = sbi_hart_start(c->arch.hart, virt_to_phys((const void *)hart_entry), 0);
    if (err) {
        printk("smp: the firmware does not start hart %llu: error %d\n", (u64)c->arch.hart, (int)err);
        return false;
    }
    ticks_t end = time_after(PATIENCE_NS);
    while (__atomic_load_n(&smp_starting, __ATOMIC_ACQUIRE)) {
        if (time_now() >= end) {
            printk("smp: hart %llu does not answer: left out\n", (u64)c->arch.hart);
            return false;
        }
        cpu_relax();
    }
    return true;
}

__init_text void traps_init(void)
{
    csr_write(stvec, (unsigned long)trap_entry);
    csr_write(sscratch, 0);
    csr_clear(sstatus, SSTATUS_SUM);
    csr_write(sie, 1ul << INT_SOFT | 1ul << INT_EXTERNAL);
}

/* The first C function of a started hart, on its own stack. */
__init_text void hart_main(struct cpu *c)
{
    traps_init();
    time_init_hart();
    fpu_init_hart();
    __atomic_store_n(&smp_starting, NULL, __ATOMIC_RELEASE);
    core_start(c->id);
}

#define LINE   64 /* records lie in cache lines of their own */
#define RECORD ALIGN_UP(sizeof(struct cpu), LINE)

__init_text void smp_start(void)
{
    if (machine.left_out)
        printk("smp: %u harts more than the %d that this kernel runs\n", machine.left_out, MAX_CPUS);
    size_t size = (machine.n_harts - 1) * RECORD;
    char *records = size ? pages_alloc(ALIGN_UP(size, PAGE_SIZE) / PAGE_SIZE) : NULL;
    if (size && !records)
        panic("smp: no memory for the records of %u cores", machine.n_harts);
    for (unsigned i = 0; i < machine.n_harts; i++) {
        if (machine.hart[i] == cpus[0]->arch.hart) {
            give_bell(cpus[0], machine.bell[i]);
            continue;
        }
        struct cpu *c = (void *)(records + (n_cpus - 1) * RECORD);
        c->id = n_cpus;
        c->arch.hart = machine.hart[i];
        give_bell(c, machine.bell[i]);
        if (!hart_start(c))
            break; /* the hart may still use its record and stack: they must stay */
        cpus[n_cpus++] = c;
    }
}
