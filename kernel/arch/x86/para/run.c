/* SPDX-License-Identifier: MIT */
/*
 * run.c - vcpu_run() for guests in ring 1: into the guest, and what it left for.
 *
 * Most of that is done here and the guest goes on at once. However often it leaves, an interrupt of the kernel's is
 * taken at its next instruction, since the real flag is always set there.
 */
#include "para.h"

#include <arch/cpu.h>
#include <core/log.h>
#include <errors.h>
#include <string.h>

#define KERNEL_VECTORS VEC_IRQ_FIRST
#define VEC_BR         5
#define VEC_NP         11
#define VEC_SS         12
#define ERROR_IDT      2u
#define NOT_RESUMED    "its registers cannot be loaded"
#define IN_VM          "virtual 8086 mode, which it does not have"
#define JNE            0x75

static enum done ends(struct vcpu_exit *e, const char *why)
{
    e->reason = why == para_window ? VCPU_EXIT_WINDOW : VCPU_EXIT_FAULT;
    e->why = why;
    return EXIT;
}

static enum done raise(struct hal_vcpu *v, struct vcpu_exit *e, unsigned vector, const u32 *error)
{
    if (para_strong_lacks())
        return DONE; /* nothing of it is done (strong.c) */
    const char *why = para_deliver(v, vector, error);
    return why ? ends(e, why) : DONE;
}

/* Erratum F00F of the Pentium (Specification Update 242480, number 81): on LOCK CMPXCHG8B of a register the processor
 * locks its bus for good when it looks the handler of an invalid opcode up. Where that entry lies in a page that cannot
 * be written it has a page fault at the entry instead, in the kernel's name, which stands for the invalid opcode. */
static bool is_f00f(u32 va, u32 error)
{
    return va - (PARA_STATE + offsetof(struct para_state, idt[VEC_UD])) < sizeof(u64) && !(error & ACCESS_USER);
}

static enum done page_fault(struct hal_vcpu *v, struct vcpu_exit *e)
{
    u32 va = PARA_STRONG ? para_strong_fault() : (u32)read_cr2(), error = v->regs->error, gpa;
    if (unlikely(is_f00f(va, error))) {
        para_strong_save(v);
        return raise(v, e, VEC_UD, NULL);
    }
    enum fault fault = para_fault(v, va, &error, &gpa);
    if (para_strong_lacks())
        return DONE;
    if (fault != FAULT_FILLED)
        para_strong_save(v);
    switch (fault) {
    case FAULT_FILLED: v->fast_exits++; return DONE;
    case FAULT_NOWHERE: para_mmio(v, e, va, gpa); return EXIT;
    default: shared_set(v, PARA_SHARE_CR2, va); return raise(v, e, VEC_PF, &error);
    }
}

/* A return to a program that the processor refused. A kernel's table of excused faults names the first byte of the
 * macro for IRET. */
static void excuse_iret(struct hal_vcpu *v)
{
    u8 code[3]; /* JNE over IRET, IRET */
    if (ring_of(v) == 1 && !vcpu_read(v, code, v->regs->eip - 2, sizeof(code)) && code[0] == JNE && code[1] == 1 &&
        code[2] == IRET_CODE)
        v->regs->eip -= IRET_MACRO;
}

static enum done protection(struct hal_vcpu *v, struct vcpu_exit *e)
{
    u32 error = v->regs->error;
    if (error & ERROR_IDT) {
        const char *why = para_int(v, error >> 3);
        if (why != para_not)
            return why ? ends(e, why) : DONE;
    } else {
        enum done done = ring_of(v) == 1 ? para_emulate(v, e) : NOT_OURS;
        if (done != NOT_OURS)
            return done;
        if (para_reload(v, error))
            return DONE;
        excuse_iret(v);
    }
    return raise(v, e, VEC_GP, &error);
}

/* The kernel's interrupts, and what the processor has to say to it: on its stack, as if it had been interrupted. */
static enum done of_kernel(struct hal_vcpu *v, struct vcpu_exit *e)
{
    const struct para_regs *r = v->regs;
    struct trap_frame f = { r->edi,
                            r->esi,
                            r->ebp,
                            r->esp,
                            r->ebx,
                            r->edx,
                            r->ecx,
                            r->eax,
                            .vector = (u8)r->vector,
                            .error = r->error,
                            .eip = r->eip,
                            .cs = r->cs,
                            .eflags = r->eflags };
    e->reason = VCPU_EXIT_IRQ;
    para_end(v->state);
    trap_dispatch(&f);
    return EXIT;
}

static enum done handle(struct hal_vcpu *v, struct vcpu_exit *e)
{
    unsigned vector = v->regs->vector & 0xff;
    u32 error = v->regs->error;
    switch (vector) {
    case VEC_PF: return page_fault(v, e);
    case VEC_GP: return protection(v, e);
    case PARA_CPUID: para_cpuid(v); return DONE;
    case VEC_NMI:
    case VEC_MC: return of_kernel(v, e);
    case VEC_DF: return ends(e, "double fault");
    case VEC_BR:
        if (para_enter_handler(v))
            return DONE;
        return raise(v, e, vector, NULL);
    case VEC_NP:
    case VEC_SS: excuse_iret(v); return raise(v, e, vector, &error);
    case 10:
    case VEC_AC: return raise(v, e, vector, &error);
    default: return vector >= KERNEL_VECTORS ? of_kernel(v, e) : raise(v, e, vector, NULL);
    }
}

/* A processor does not let IRET of ring 1 or 3 into virtual 8086 mode (Developer's Manual vol. 2, IRET); QEMU does.
 * What such a guest left with lies lower, and its CS may look like ring 0. */
static __noinline enum done from_virtual_8086(struct hal_vcpu *v, struct vcpu_exit *e)
{
    memmove(v->regs, (u8 *)v->regs - VM_MORE, sizeof(*v->regs));
    v->regs->cs |= RING;
    unsigned vector = v->regs->vector & 0xff;
    return vector >= KERNEL_VECTORS || vector == VEC_NMI || vector == VEC_MC ? of_kernel(v, e) : ends(e, IN_VM);
}

/* What it has left for, by what para_enter() has returned. */
static inline enum done handle_left(struct hal_vcpu *v, struct vcpu_exit *e, u32 left)
{
    if (PARA_STRONG && left == LEFT_AT && (u8)v->regs->vector == VEC_PF)
        return page_fault(v, e);
    if (left == LEFT_AT)
        return (u8)v->regs->vector == PARA_VECTOR ? para_call(v, e) : handle(v, e);
    if (left == LEFT_AT - VM_MORE)
        return from_virtual_8086(v, e);
    v->regs->vector = left - 1;
    return left - 1 == VEC_NMI ? of_kernel(v, e) : ends(e, NOT_RESUMED);
}

/* One turn: into the guest and back. Returns what is to be done after it. The guest has its own bits of CR0 until it
 * has left: at an interrupt the kernel may switch to another owner of the floating-point unit. */
static inline enum done enter_guest(struct hal_vcpu *v, struct vcpu_exit *e, unsigned long cr0)
{
    const char *why = para_quiet(v) ? NULL : para_lines(v);
    if (why)
        return ends(e, why);
    u32 other = (v->cr0 ^ (u32)cr0) & CR0_FPU;
    v->regs->eflags = (v->regs->eflags & FLAGS_KEPT) | RFLAGS_IF | 2;
    if (other)
        write_cr0(cr0 ^ other);
    para_strong_enter(v);
    u32 left = para_enter(v->state, v->shadow->root);
    if (other)
        write_cr0(cr0);
    return para_strong_left(v, e, left) == EXIT ? EXIT : handle_left(v, e, left);
}

static inline enum done turn(struct hal_vcpu *v, struct vcpu_exit *e, unsigned long cr0)
{
    u32 left = para_strong_begin(v);
    return para_strong_end(v, e, left ? handle_left(v, e, left) : enter_guest(v, e, cr0));
}

void vcpu_run(struct hal_vcpu *v, struct vcpu_exit *e)
{
    unsigned long cr0 = read_cr0();
    e->length = 0;
    para_begin(v->state);
    while (turn(v, e, cr0) != EXIT)
        ;
    if (e->reason != VCPU_EXIT_IRQ)
        para_end(v->state);
    v->exits[e->reason]++;
}

void vcpu_complete(struct hal_vcpu *v, const struct vcpu_exit *e) { v->regs->eip += e->length; }

u32 vcpu_call(const struct hal_vcpu *v) { return v->regs->eax; }
void vcpu_return(struct hal_vcpu *v, s32 result) { v->regs->eax = (u32)result; }

u32 vcpu_argument(const struct hal_vcpu *v, unsigned n)
{
    const struct para_regs *r = v->regs;
    return n == 0 ? r->ebx : n == 1 ? r->ecx : n == 2 ? r->edx : r->esi;
}

__cold void vcpu_dump(const struct hal_vcpu *v)
{
    const struct para_regs *r = v->regs;
    printk("  vector %u error %x eip %x:%x esp %x:%x flags %x interrupts %s\n", r->vector & 0xff, r->error,
           r->cs & 0xffff, r->eip, r->ss & 0xffff, r->esp, r->eflags, vcpu_interruptible(v) ? "on" : "off");
    printk("  eax %x ebx %x ecx %x edx %x esi %x edi %x ebp %x\n", r->eax, r->ebx, r->ecx, r->edx, r->esi, r->edi,
           r->ebp);
    printk("  cr0 %x cr2 %x cr3 %x cr4 %x\n", v->cr0, shared_get(v, PARA_SHARE_CR2), v->cr3, v->cr4);
}
