/* SPDX-License-Identifier: MIT */
/*
 * exit.c - the layer's side: handles exits of the kernel above.
 *
 * There are four kinds: a call of the virtual object; a physical interrupt; a rare sensitive instruction (CPUID,
 * ports), which is emulated here; and an instruction that only native code may use (local APIC, its MSRs, AMD-V), which
 * gets an exception. GIF is clear, the stack is the layer's, and `vobject` must not be used here.
 */
#include <arch/apic.h>
#include <arch/cpu.h>
#include <arch/direct.h>
#include <board/pc/uart.h>
#include <arch/features.h>
#include <arch/port.h>
#include <core/console.h>
#include <core/log.h>
#include <errors.h>

#include "layer.h"

#define CPUID_EXTENDED 0x80000001u

/* Offer one virtual interrupt by the VMCB; the others wait until the kernel acknowledges it. */
static void offer(struct layer *l)
{
    struct vmcb *b = l->vmcb;
    if (l->state.pending && !(b->vintr & VINTR_IRQ)) {
        unsigned bit = bit_msb32(l->state.pending);
        l->state.pending &= ~(1u << bit);
        b->vintr = VINTR_MASKING | VINTR_IRQ | VINTR_IGN_TPR | 0xfu << VINTR_PRIO_SHIFT;
        b->vintr_vector = VEC_IRQ_FIRST + bit;
        b->clean &= ~CLEAN_VINTR;
    }
    WRITE_ONCE(l->more, l->state.pending != 0);
}

void layer_interrupt(struct layer *l, unsigned vector)
{
    if (vector == VEC_SPURIOUS) /* no EOI: APM vol. 2, 16.4.7 */
        return;
    native_eoi();
    l->state.pending |= 1u << (vector - VEC_IRQ_FIRST);
    l->stats.interrupts++;
}

static void refuse_insn(struct layer *l, unsigned vector)
{
    l->stats.strays++;
    vmcb_raise(l->vmcb, vector, vector == VEC_GP);
}

/* Step over an intercepted instruction of `length` bytes. */
static __noinline void skip(struct vmcb *b, unsigned length)
{
    vmcb_advance(b, length);
    vmcb_retire(b, b->rip);
}

static unsigned put(u64 port_and_n, u64 low, u64 high)
{
    u64 words[2] = { low, high };
    unsigned n = (u8)(port_and_n >> 8);
    return uart_put((u8)port_and_n, (const u8 *)words, MIN(n, sizeof(words)));
}

static u64 ipi(u64 cpu, u64 which)
{
    if (cpu >= n_cpus || which > IPI_SWITCH)
        return (u64)-EINVAL;
    native_ipi((unsigned)cpu, (enum vobject_ipi)which);
    return 0;
}

static u64 call(struct layer *l, u64 which)
{
    switch (which) {
    case LAYER_ALARM: time_alarm_at(l->state.alarm = l->regs[RDI]); return 0;
    case LAYER_NEXT: return 0; /* offer() is called on the way back */
    case LAYER_IPI: return ipi(l->regs[RDI], l->regs[RSI]);
    case LAYER_STOP_OTHERS: apic_stop_others(); return 0;
    case LAYER_POWER_OFF: acpi_power_off(); return 0;
    case LAYER_CONSOLE_PUT: return put(l->regs[RDI], l->regs[RSI], l->regs[RDX]);
    case LAYER_CONSOLE_IRQS: uart_irqs((u8)l->regs[RDI], (u8)l->regs[RSI]); return 0;
    case LAYER_CONSOLE_GETC: return (u64)(s64)uart_getc((u8)l->regs[RDI]);
    default: return (u64)-ENOSYS;
    }
}

/* Leave: an interrupt that was offered and not taken is pending again, for the native object; the timer that the
 * layer armed is disarmed. */
static enum layer_next leave(struct layer *l)
{
    struct vmcb *b = l->vmcb;
    if (b->vintr & VINTR_IRQ)
        l->state.pending |= 1u << (b->vintr_vector - VEC_IRQ_FIRST);
    time_alarm_at(TICKS_NEVER);
    l->guest_rsp = b->rsp;
    amdv_release(b);
    amdv_off();
    return LAYER_GONE;
}

/* The kernel above sees this processor without AMD-V, which is in use. */
static void do_cpuid(struct layer *l)
{
    struct vmcb *b = l->vmcb;
    u32 leaf = (u32)b->rax;
    struct cpuid_regs r = cpuid(leaf, (u32)l->regs[RCX]);
    if (leaf == CPUID_EXTENDED)
        r.ecx &= ~X86_FEATURE_SVM;
    b->rax = r.eax;
    l->regs[RCX] = r.ecx;
    l->regs[RDX] = r.edx;
    l->regs[RBX] = r.ebx;
    skip(b, 2);
}

/* Make a port access for the kernel. String instructions are refused, because this kernel uses none. */
static void do_port(struct layer *l)
{
    struct vmcb *b = l->vmcb;
    unsigned size = ioio_size(b->exit_info1);
    u16 port = ioio_port(b->exit_info1);
    if (b->exit_info1 & IOIO_STRING) {
        refuse_insn(l, VEC_GP);
        return;
    }
    if (b->exit_info1 & IOIO_IN)
        b->rax = rax_with(b->rax, port_in(port, size), size);
    else
        port_out(port, size, b->rax);
    vmcb_retire(b, b->exit_info2);
    l->stats.emulated++;
}

/* Panic. `vobject` is set to the native one first, so that printk() does not ask the layer for the console. */
static __noreturn void die(const struct layer *l, const char *why)
{
    const struct vmcb *b = l->vmcb;
    WRITE_ONCE(vobject, &native_object);
    panic("beneath the kernel: %s (exit %llx, %llx, %llx) at %llx", why, b->exit_code, b->exit_info1, b->exit_info2,
          b->rip);
}

enum layer_next layer_exit(struct layer *l)
{
    struct vmcb *b = l->vmcb;
    l->stats.exits++;
    b->clean = CLEAN_ALL;
    b->tlb_control = 0;
    b->event_inject = b->exit_int_info & EVENT_VALID ? b->exit_int_info : 0;
    switch (b->exit_code) {
    case VMEXIT_VMMCALL:
        if (b->rax == LAYER_LEAVE)
            return leave(l);
        l->stats.hypercalls++;
        b->rax = call(l, b->rax);
        skip(b, 3);
        break;
    case VMEXIT_INTR: __asm__ volatile("stgi; nop; clgi" ::: "memory"); break;
    case VMEXIT_CPUID:
        do_cpuid(l);
        l->stats.emulated++;
        break;
    case VMEXIT_IOIO: do_port(l); break;
    case VMEXIT_MSR:
    case VMEXIT_NPF: refuse_insn(l, VEC_GP); break;
    case VMEXIT_SHUTDOWN: die(l, "triple fault");
    default:
        if ((u32)b->exit_code == VMEXIT_INVALID_32) {
            amdv_off();
            return LAYER_REFUSED;
        }
        refuse_insn(l, VEC_UD);
    }
    offer(l);
    return LAYER_RESUME;
}
