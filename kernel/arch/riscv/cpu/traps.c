/* SPDX-License-Identifier: MIT */
/* traps.c - handles interrupts and exceptions in C. */
#include <arch/cpu.h>
#include <arch/trap.h>
#include <board/irq.h>
#include <core/cpu.h>
#include <core/log.h>
#include <hal/cpu.h>
#include <hal/noc.h>
#include <hal/time.h>
#include <hal/upcalls.h>

#include "ipi.h"

#define INTERRUPT (~(~0ul >> 1)) /* of scause */

static const char *const names[] = {
    "misaligned fetch",
    "fetch access fault",
    "illegal instruction",
    "breakpoint",
    "misaligned load",
    "load access fault",
    "misaligned store",
    "store access fault",
    "call",
    "call",
    "reserved exception",
    "reserved exception",
    "fetch page fault",
    "load page fault",
    "reserved exception",
    "store page fault",
};

const char *trap_name(unsigned long cause) { return cause < ARRAY_SIZE(names) ? names[cause] : "unknown exception"; }

/* Replaced in a kernel with processes. */
__optional bool trap_fixed(struct trap_frame *f) { return false; }

bool arch_frame_irqs_on(const struct trap_frame *f) { return f->status & SSTATUS_SPIE; }

static void take_ipi(void)
{
    csr_clear(sip, SIP_SSIP);
    if (READ_ONCE(cpus_stopping))
        hal_halt();
    noc_rang();
    core_irq_ipi();
}

bool cpu_take_ipi(void)
{
    bool pending = csr_read(sip) & csr_read(sie) & SIP_SSIP;
    if (pending)
        take_ipi();
    return pending;
}

void cpu_defer_ipi(bool defer)
{
    if (defer)
        csr_clear(sie, SIP_SSIP);
    else
        csr_set(sie, SIP_SSIP);
}

/* The timer interrupt stays pending until the alarm is set again, so it is masked. */
void trap_interrupt(unsigned long code)
{
    switch (code) {
    case INT_TIMER:
        hal_timer_arm(TICKS_NEVER);
        core_irq_timer();
        break;
    case INT_SOFT: take_ipi(); break;
    case INT_EXTERNAL: irq_take(); break;
    default: panic("interrupt %llu, which was not enabled", (u64)code);
    }
    core_irq_exit();
}

void trap_overflow(const struct trap_frame *f) { core_trap("kernel stack overflow", f); }

void trap_dispatch(struct trap_frame *f)
{
    if (f->cause & INTERRUPT)
        trap_interrupt(f->cause & ~INTERRUPT);
    else if (!trap_fixed(f))
        core_trap(trap_name(f->cause), f);
}

void arch_dump_frame(const struct trap_frame *f)
{
    static const char name[32][4] = { "pc", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
                                      "a1", "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                      "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6" };
    printk("  status %llx cause %llx value %llx\n", (u64)f->status, (u64)f->cause, (u64)f->value);
    for (unsigned i = 0; i < ARRAY_SIZE(name); i += 4)
        printk("  %-3s %016llx %-3s %016llx %-3s %016llx %-3s %016llx\n", name[i], (u64)f->x[i], name[i + 1],
               (u64)f->x[i + 1], name[i + 2], (u64)f->x[i + 2], name[i + 3], (u64)f->x[i + 3]);
}
