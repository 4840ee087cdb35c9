/* SPDX-License-Identifier: MIT */
/*
 * core_back.c - gives a core back to Linux as a CPU.
 *
 * The CPU is never without this kernel beneath it. It waits here until Linux starts it. Linux's INIT and start-up
 * interrupt are not sent but recorded (attach/apic.c); the CPU then begins in real mode at their address, as a guest.
 */
#include <arch/apic.h>
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/trap.h>
#include <board/linux.h>
#include <core/cpu.h>
#include <hal/context.h>
#include <hal/upcalls.h>
#include <string.h>

#include "linux_cpu.h"

#define GATE 16 /* bytes of an entry of the IDT */

/* Let all vectors go to the stub for unexpected interrupts: interrupts for the former core are taken and dropped. */
static void drop_interrupts(void)
{
    static u8 gates[256 * GATE] __aligned(16);
    static struct {
        u16 limit;
        u64 base;
    } __packed idtr = { sizeof(gates) - 1, (u64)gates };
    u64 all;
    u16 limit;
    idt_where(&all, &limit);
    for (unsigned v = 0; v < 256;
         v++) { /* all cores write the same values, so another core may use the table meanwhile */
        unsigned from = v >= VEC_IRQ_FIRST && v < VEC_SPURIOUS ? VEC_IRQ_FIRST - 1 : v;
        memcpy(gates + v * GATE, (const char *)all + from * GATE, GATE);
    }
    __asm__ volatile("lidt %0" ::"m"(idtr) : "memory");
}

/* Spin until Linux starts this CPU; a HLT could be woken by a late interrupt. Linux starts it at once or never.
 * l->startup then has the vector. */
static void wait_for_startup(struct linux_cpu *l)
{
    WRITE_ONCE(l->startup, 0);
    WRITE_ONCE(l->state, ATTACH_CPU_PARKED);
    irq_enable();
    while (!(READ_ONCE(l->startup) & CORE_STARTUP))
        cpu_relax();
    irq_disable();
}

/* Set the state after INIT and a start-up interrupt (APM vol. 2, 14.1.3 and 15.28). */
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
    /* VMRUN does not switch them: Linux would see those of the last guest (15.5.1). */
    __asm__ volatile("mov %0, %%dr0; mov %0, %%dr1; mov %0, %%dr2; mov %0, %%dr3" ::"r"(0ul));
}

/* The last steps, on the stack that the CPU has while it is Linux's, because the core's stacks are overwritten. GIF is
 * clear. */
static __noreturn void go_back(unsigned index)
{
    struct linux_cpu *l = linux_cpus[index];
    struct attach_cpu *p = l->page;
    core_clean(l);
    write_cr4(l->linux_cr4);
    wrmsr(MSR_PAT, p->pat);
    wrmsr(MSR_VM_HSAVE_PA, p->hsave_pa);
    begin_at(l, (u8)l->startup);
    l->flushed = __atomic_load_n(&linux_space_version, __ATOMIC_SEQ_CST);
    WRITE_ONCE(l->state, ATTACH_CPU_LINUX);
    attach_run(p);
}

void hal_core_left(void)
{
    struct linux_cpu *l = container_of(this_cpu(), struct linux_cpu, core);
    apic_write(APIC_LVT_TIMER, LVT_MASKED);
    board_linux_core_leaves();
    drop_interrupts();
    wait_for_startup(l);
    apic_write(APIC_SVR, VEC_SPURIOUS); /* disabled, as after INIT */
    core_clear_extended_state();
    __asm__ volatile("clgi");
    call_on_stack(go_back, l->index, (char *)l->stack + HAL_STACK_SIZE);
}
