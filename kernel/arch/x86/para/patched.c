/* SPDX-License-Identifier: MIT */
/*
 * patched.c - instructions that a processor executes in ring 1 without a trap, though to another effect than in ring 0:
 * PUSHF, POPF, IRET, CPUID. In a kernel that was not built for ring 1 the tools put one byte in place of each, of an
 * instruction that does trap and that it has nowhere else: INS and OUTS without REP (kernel/api/para.yaml).
 */
#include "para.h"

#define CPUID_SECOND 0xa2
#define FRAME        3u /* words that IRET takes; to another ring two more */

static enum done push_flags(struct hal_vcpu *v)
{
    struct para_regs *r = v->regs;
    u32 flags = (r->eflags & ~(u32)RFLAGS_IF) | (shared_get(v, PARA_SHARE_FLAG) & RFLAGS_IF);
    if (para_put(v, r->esp - 4, flags))
        return NOT_OURS;
    r->esp -= 4;
    return DONE;
}

static enum done pop_flags(struct hal_vcpu *v)
{
    struct para_regs *r = v->regs;
    u32 flags;
    if (vcpu_read(v, &flags, r->esp, 4))
        return NOT_OURS;
    r->eflags = flags & FLAGS_KEPT;
    shared_set(v, PARA_SHARE_FLAG, flags & RFLAGS_IF);
    r->esp += 4;
    return DONE;
}

/* Selectors that the processor would not load are a protection fault at this very instruction. */
static enum done return_from_interrupt(struct hal_vcpu *v)
{
    u32 frame[FRAME + 2], esp = v->regs->esp;
    if (vcpu_read(v, frame, esp, FRAME * 4))
        return NOT_OURS;
    bool outer = (frame[1] & RING) > 1;
    if (outer && (vcpu_read(v, frame + FRAME, esp + FRAME * 4, 8) || !para_loadable(v, frame[1], frame[4])))
        return NOT_OURS;
    para_iret(v, frame, esp);
    return DONE;
}

enum done para_stand_in(struct hal_vcpu *v, const struct para_insn *i, u8 op)
{
    enum done done = NOT_OURS;
    switch (op) {
    case PARA_FOR_PUSHF: done = push_flags(v); break;
    case PARA_FOR_POPF: done = pop_flags(v); break;
    case PARA_FOR_IRET: return return_from_interrupt(v);
    case PARA_FOR_CPUID:
        if (i->code[i->at] != CPUID_SECOND)
            return NOT_OURS;
        para_cpuid(v);
        v->regs->eip++;
        done = DONE;
    }
    if (done == DONE)
        v->regs->eip += i->at;
    return done;
}
