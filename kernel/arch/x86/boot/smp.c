/* SPDX-License-Identifier: MIT */
/*
 * smp.c - starts the other cores one by one, by INIT and start-up IPI (APM vol 2, 16.5). A core that does not answer
 * within ten seconds (a busy host may not run it for long) is reported and left out. If it wakes up later it must not
 * enter code that has been freed. So both it and the first core exchange the claim in the trampoline: who was first
 * wins.
 */
#include <arch/apic.h>
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/trap.h>
#include <core/cpu.h>
#include <core/frames.h>
#include <core/log.h>
#include <hal/context.h>
#include <hal/cpu.h>
#include <hal/memory.h>
#include <hal/time.h>
#include <hal/upcalls.h>
#include <string.h>

#define SMP_TRAMPOLINE 0x8000ul
#define ICR_INIT       0x4500u
#define ICR_STARTUP    (0x4600u | SMP_TRAMPOLINE >> PAGE_SHIFT)

enum { OFFERED, TAKEN, WITHDRAWN }; /* values of the claim; trampoline.S */

extern const char trampoline_start[], trampoline_claim[], trampoline_end[];
extern unsigned long ap_stack, ap_cr3;
static struct cpu *starting;

/* Wait up to `us` until the started core has left the trampoline and the shared variables. */
static __init_text bool answered(u64 us)
{
    ticks_t end = time_after(us * 1000);
    while (READ_ONCE(starting))
        if (time_now() >= end)
            return false;
        else
            cpu_relax();
    return true;
}

/* Withdraw the offer to a core that has not answered. Returns false if the core has taken it. */
static __init_text bool withdraw(u8 *claim)
{
    if (__atomic_exchange_n(claim, WITHDRAWN, __ATOMIC_SEQ_CST) == OFFERED)
        return true;
    while (READ_ONCE(starting))
        cpu_relax();
    return false;
}

static __init_text bool core_init(struct cpu *c)
{
    static const struct {
        u32 command, us; /* time to wait for an answer; INIT has none */
    } steps[] = { { ICR_INIT, 10000 }, { ICR_STARTUP, 20000 }, { ICR_STARTUP, 10000000 } };
    u8 *claim = (u8 *)phys_to_virt(SMP_TRAMPOLINE) + (trampoline_claim - trampoline_start);
    void *stack = hal_stack_alloc();
    if (!stack)
        return false;
    WRITE_ONCE(starting, c);
    WRITE_ONCE(ap_stack, (unsigned long)stack + HAL_STACK_SIZE);
    WRITE_ONCE(*claim, OFFERED);
    for (unsigned i = 0; i < ARRAY_SIZE(steps); i++) {
        apic_icr(c->arch.apic_id, steps[i].command);
        if (answered(steps[i].us))
            return true;
    }
    return !withdraw(claim);
}

/* First function of a started core, on its own stack. */
__init_text void smp_ap_main(void)
{
    struct cpu *c = starting;
    paging_enable_cpu();
    traps_init(c);
    apic_enable();
    time_init_cpu();
    fpu_init_cpu();
    WRITE_ONCE(starting, NULL);
    core_start(c->id);
}

__init_text void smp_start(void)
{
    char *page = phys_to_virt(SMP_TRAMPOLINE); /* the only page of the first MiB that is used */
    if (paging_map((unsigned long)page, SMP_TRAMPOLINE, PAGE_SIZE, PTE_W | PTE_NX | PTE_G))
        panic("smp: cannot map the trampoline");
    memcpy(page, trampoline_start, (size_t)(trampoline_end - trampoline_start));
    ap_cr3 = paging_root();
    n_cpus = 1;
    for (unsigned i = 0; i < machine.n_cpus && n_cpus < MAX_CPUS; i++) {
        if (machine.apic_id[i] == cpus[0]->arch.apic_id)
            continue;
        paddr_t pa = frames_alloc(ALIGN_UP(sizeof(struct cpu), PAGE_SIZE) / PAGE_SIZE, PAGE_SIZE);
        if (pa == (paddr_t)-1)
            panic("smp: no memory for the record of core %u", n_cpus);
        struct cpu *c = memset(phys_to_virt(pa), 0, sizeof(*c));
        c->id = n_cpus;
        c->arch.apic_id = machine.apic_id[i];
        if (!core_init(c)) {
            printk("smp: the core with APIC id %u does not answer: left out\n", c->arch.apic_id);
            break; /* its claim must stay withdrawn, so no further core is started */
        }
        cpus[n_cpus++] = c;
    }
}
