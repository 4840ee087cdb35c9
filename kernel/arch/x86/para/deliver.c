/* SPDX-License-Identifier: MIT */
/*
 * deliver.c - interrupts and exceptions as the guest's processor would deliver them: through its own table, onto its
 * own stack, into ring 1.
 *
 * INT 0x80 of a program need not come here: once the guest's gate has been read, ours goes straight to a stub in
 * ring 1.
 */
#include "para.h"

#include <errors.h>

#define IF         0x200u
#define TF_NT_RF   0x14100u
#define GATE_TYPE  7u
#define GATE_INTR  6u
#define IRQ_VECTOR 0x30u
#define SYSTEM     0x80u

const char para_not[] = "";

struct gate {
    u16 low, selector;
    u8 zero, type;
    u16 high;
};

static bool read_gate(struct hal_vcpu *v, unsigned vector, struct gate *g)
{
    if (vector * 8 + 7 > v->idt_limit || vcpu_read(v, g, v->idt + vector * 8, 8))
        return false;
    return (g->type & 0x9e) == 0x8e; /* present, of 32 bits, interrupt or trap */
}

static u32 gate_offset(const struct gate *g) { return (u32)g->high << 16 | g->low; }

/* The stack for ring 1, from the guest's task state; the processor's own task gets it, too. */
static bool read_stack(struct hal_vcpu *v)
{
    u32 stack[2];
    if (!v->task || vcpu_read(v, stack, v->task + offsetof(struct tss, esp0), sizeof(stack)))
        return false;
    v->state->tss.esp1 = stack[0];
    v->state->tss.ss1 = (u16)stack[1] | 1;
    return true;
}

/* Push a frame, at once if it lies in one page. */
static bool push_frame(struct hal_vcpu *v, u32 *esp, const u32 *frame, unsigned n)
{
    u32 to = *esp - 4 * n;
    if (!(to & 3) && (to & ~ENTRY_FRAME) + 4 * n <= PAGE_SIZE) {
        u32 *at = (u32 *)para_at(v, to, ACCESS_WRITE);
        for (unsigned i = 0; at && i < n; i++)
            at[i] = frame[i];
        *esp = to;
        return at;
    }
    for (unsigned i = n; i--;)
        if (para_put(v, *esp -= 4, frame[i]))
            return false;
    return true;
}

static const char *enter(struct hal_vcpu *v, const struct gate *g, bool has_error, u32 error)
{
    struct para_regs *r = v->regs;
    bool outer = ring_of(v) == 3;
    u32 flags = (r->eflags & ~IF) | (shared_get(v, PARA_SHARE_FLAG) & IF), esp = r->esp, ss = r->ss;
    u32 frame[] = { error, r->eip, (u16)r->cs, flags, r->esp, (u16)r->ss };
    if (outer) {
        if (!read_stack(v))
            return "triple fault: it has no task state with a stack";
        esp = v->state->tss.esp1;
        ss = v->state->tss.ss1;
    }
    if (!push_frame(v, &esp, frame + !has_error, 3 + has_error + 2 * outer))
        return "triple fault: its handler has no stack";
    r->esp = esp;
    r->ss = ss;
    r->cs = g->selector | 1;
    r->eip = gate_offset(g);
    r->eflags = flags & ~TF_NT_RF;
    if ((g->type & GATE_TYPE) == GATE_INTR)
        shared_set(v, PARA_SHARE_FLAG, 0);
    return NULL;
}

const char *para_deliver(struct hal_vcpu *v, unsigned vector, bool has_error, u32 error)
{
    struct gate g;
    return read_gate(v, vector, &g) ? enter(v, &g, has_error, error) : "triple fault: it has no handler";
}

/* From now on the processor takes INT 0x80 to the guest itself. The gate is a trap gate: an interrupt gate would clear
 * the real interrupt flag, and nothing in ring 1 sets it again. */
static bool open_system_call(struct hal_vcpu *v, const struct gate *g)
{
    u32 to = para_place(para_int80);
    if (v->state->idt[SYSTEM] || (g->type & GATE_TYPE) != GATE_INTR || !read_stack(v))
        return false;
    shared_set(v, PARA_SHARE_ENTRY, gate_offset(g));
    v->state->idt[SYSTEM] = (u64)((to & 0xffff0000) | 0xef00) << 32 | (u32)(g->selector | 1) << 16 | (to & 0xffff);
    return true;
}

const char *para_int(struct hal_vcpu *v, unsigned vector)
{
    struct gate g;
    if (!read_gate(v, vector, &g) || (g.type >> 5 & 3) < (ring_of(v) == 3 ? 3u : 0u))
        return para_not;
    if (vector == SYSTEM && open_system_call(v, &g))
        return NULL; /* it executes the instruction once more */
    v->regs->eip += 2;
    return enter(v, &g, false, 0);
}

void para_load_idt(struct hal_vcpu *v, u32 base, u32 limit)
{
    v->idt = base;
    v->idt_limit = limit;
    v->state->idt[SYSTEM] = 0;
}

/* In the stub the flag is not clear yet though the guest's gate says so. */
static bool in_stub(const struct hal_vcpu *v)
{
    return v->regs->eip - para_place(para_int80) < (u32)(para_int80_end - para_int80);
}

bool vcpu_interruptible(const struct hal_vcpu *v) { return shared_get(v, PARA_SHARE_FLAG) & IF; }

static u32 waiting(const struct hal_vcpu *v) { return READ_ONCE(v->lines) & ~shared_get(v, PARA_SHARE_MASK); }

bool vcpu_has_interrupt(const struct hal_vcpu *v) { return vcpu_interruptible(v) && waiting(v); }

const char *para_lines(struct hal_vcpu *v)
{
    const char *why = NULL;
    u32 wait = waiting(v);
    if (wait && vcpu_interruptible(v) && !in_stub(v)) {
        unsigned line = (unsigned)__builtin_ctz(wait);
        __atomic_fetch_and(&v->lines, ~(1u << line), __ATOMIC_SEQ_CST);
        why = para_deliver(v, IRQ_VECTOR + line, false, 0);
        wait = waiting(v);
    }
    shared_set(v, PARA_SHARE_RAISED, READ_ONCE(v->lines));
    shared_set(v, PARA_SHARE_PENDING, wait);
    return why;
}

void para_iret(struct hal_vcpu *v, const u32 *frame, u32 esp)
{
    struct para_regs *r = v->regs;
    r->eip = frame[0];
    r->cs = frame[1] | 1;
    r->eflags = frame[2] & FLAGS_KEPT;
    shared_set(v, PARA_SHARE_FLAG, frame[2] & IF);
    if ((r->cs & RING) != 3) {
        r->esp = esp + 12;
    } else {
        r->esp = frame[3];
        r->ss = frame[4];
    }
}
