/* SPDX-License-Identifier: MIT */
/*
 * core_back.c - a core that core/ lets go becomes one of Linux's CPUs again.
 *
 * It is never bare: it waits here until Linux starts it.  The INIT and the start-up interrupt are not sent but noted
 * (attach/apic.c), and it begins in real mode where they say, as a guest.
 */
#include <arch/apic.h>
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/trap.h>
#include <core/cpu.h>
#include <hal/context.h>
#include <hal/upcalls.h>
#include <string.h>

#include "linux_cpu.h"

#define LVT_MASKED (1u << 16)
#define GATE       16 /* bytes of an entry of the IDT */

/* Nobody's interrupts: what still comes for the core that was here is taken and forgotten. */
static void forget_interrupts(void)
{
    static u8 gates[256 * GATE] __aligned(16);
    static struct {
        u16 limit;
        u64 base;
    } __packed idtr = { sizeof(gates) - 1, (u64)gates };
    u64 all;
    u16 limit;
    idt_where(&all, &limit);
    for (unsigned v = 0; v < 256; v++) { /* the same by whoever does it, another one may be using them */
        unsigned from = v >= VEC_IRQ_FIRST && v < VEC_SPURIOUS ? VEC_IRQ_FIRST - 1 : v;
        memcpy(gates + v * GATE, (const char *)all + from * GATE, GATE);
    }
    __asm__ volatile("lidt %0" ::"m"(idtr) : "memory");
}

/* Nothing to wake it up by: an interrupt that came late would be Linux's. Linux starts it at once or never. */
static u8 wait_for_startup(struct linux_cpu *l)
{
    WRITE_ONCE(l->startup, 0);
    WRITE_ONCE(l->state, ATTACH_CPU_PARKED);
    irq_enable();
    while (!(READ_ONCE(l->startup) & CORE_STARTUP))
        cpu_relax();
    irq_disable();
    return (u8)l->startup;
}

/* What INIT and the start-up interrupt leave (APM vol. 2, 14.1.3 and 15.28). */
static void begin_at(struct linux_cpu *l, u8 vector)
{
    struct vmcb *b = l->vmcb;
    struct attach_cpu *p = l->page;
    memset(p->regs, 0, sizeof(p->regs));
    p->regs[RDX] = cpuid(1, 0).eax;
    vmcb_init(b);
    vmcb_startup(b, vector);
    b->event_inject = 0;
    b->tlb_control = TLB_FLUSH_ALL;
    /* VMRUN would show Linux those of the last guest (15.5.1). */
    __asm__ volatile("mov %0, %%dr0; mov %0, %%dr1; mov %0, %%dr2; mov %0, %%dr3" ::"r"(0ul));
}

void hal_core_left(void)
{
    struct linux_cpu *l = container_of(this_cpu(), struct linux_cpu, core);
    struct attach_cpu *p = l->page;
    apic_write(APIC_LVT_TIMER, LVT_MASKED);
    forget_interrupts();
    u8 vector = wait_for_startup(l);
    apic_write(APIC_SVR, VEC_SPURIOUS); /* off, as after INIT */
    core_forget_extended_state();
    __asm__ volatile("clgi");
    write_cr4(read_cr4() & ~CR4_PGE);
    wrmsr(MSR_PAT, p->pat);
    wrmsr(MSR_VM_HSAVE_PA, p->hsave_pa);
    begin_at(l, vector);
    l->flushed = __atomic_load_n(&linux_space_version, __ATOMIC_SEQ_CST);
    WRITE_ONCE(l->state, ATTACH_CPU_LINUX);
    attach_run(p);
}
