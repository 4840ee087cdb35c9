/* SPDX-License-Identifier: MIT */
/* traps.c - entry of all interrupts and exceptions in C. */
#include <arch/apic.h>
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/trap.h>
#include <core/cpu.h>
#include <core/log.h>
#include <hal/cpu.h>
#include <hal/memory.h>
#include <hal/upcalls.h>

static const char *const names[] = {
    "divide error",
    "debug",
    "NMI",
    "breakpoint",
    "overflow",
    "bound",
    "invalid opcode",
    "no FPU",
    "double fault",
    "reserved exception",
    "invalid TSS",
    "segment not present",
    "stack fault",
    "general protection",
    "page fault",
    "reserved exception",
    "x87 error",
    "alignment",
    "machine check",
    "SIMD error",
};

bool arch_frame_irqs_on(const struct trap_frame *f) { return trap_flags(f) & RFLAGS_IF; }

const char *trap_name(unsigned vector) { return vector < ARRAY_SIZE(names) ? names[vector] : "unexpected vector"; }

static __noreturn void exception(struct trap_frame *f)
{
    const char *name = trap_name(f->vector);
    const unsigned long stacks = DEVICES_BASE - STACKS_BASE; /* a power of two */
    if (f->vector == VEC_DF && read_cr2() / stacks == STACKS_BASE / stacks)
        name = "kernel stack overflow";
    core_trap(name, f);
}

static void nmi(struct trap_frame *f)
{
    if (READ_ONCE(cpus_stopping))
        hal_halt();
    if (!trap_handle_unexpected(f))
        panic("unexpected NMI at %llx", (u64)trap_ip(f));
}

void trap_dispatch(struct trap_frame *f)
{
    if (LAYER_BENEATH && layer_takes(f))
        return;
    switch (f->vector) {
    case VEC_TIMER:
        apic_eoi();
        core_irq_timer();
        break;
    case VEC_IPI:
        apic_eoi();
        core_irq_ipi();
        break;
    case VEC_NMI: nmi(f); return;
    case VEC_CONSOLE0:
    case VEC_CONSOLE1:
        if (this_cpu()->id == 0) { /* a Linux above can send these to any core, but the ports belong to core 0 */
            apic_eoi();
            core_irq_console((unsigned)f->vector - VEC_CONSOLE0);
            break;
        }
        __attribute__((fallthrough));
    default:
        if (f->vector == VEC_SPURIOUS && !apic_in_service(VEC_SPURIOUS))
            return; /* no EOI: APM vol 2, 16.4.7 */
        if (!trap_handle_unexpected(f))
            exception(f);
        return;
    }
    core_irq_exit();
}
