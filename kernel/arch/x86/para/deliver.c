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

#define IF            0x200u
#define TF_NT_RF      0x14100u
#define GATE_TYPE     7u
#define GATE_INTR     6u
#define IRQ_VECTOR    0x30u
#define SYSTEM        0x80u
#define PROGRAM_FRAME 20 /* bytes that the processor pushes when a program comes into ring 1 */

const char para_not[] = "", para_window[] = "";

/* Words of a gate. */
static inline u32 gate_offset(const u32 g[2]) { return (g[1] & 0xffff0000) | (u16)g[0]; }
static inline u32 gate_selector(const u32 g[2]) { return (g[0] >> 16) | 1; }
static inline bool gate_closes(const u32 g[2]) { return (g[1] >> 8 & GATE_TYPE) == GATE_INTR; }
static inline u32 gate_dpl(const u32 g[2]) { return g[1] >> 13 & 3; }

/* Read two words, at once if they lie in one page. */
static inline bool read_pair(struct hal_vcpu *v, u32 from, u32 to[2])
{
    if ((from & ~ENTRY_FRAME) > PAGE_SIZE - 8)
        return !vcpu_read(v, to, from, 8);
    const u32 *at = (u32 *)para_at(v, from, 0);
    if (!at)
        return false;
    to[0] = at[0];
    to[1] = at[1];
    return true;
}

static inline bool read_gate(struct hal_vcpu *v, unsigned vector, u32 g[2])
{
    if (vector * 8 + 7 > v->idt_limit || !read_pair(v, v->idt + vector * 8, g))
        return false;
    return (g[1] & 0x9e00) == 0x8e00; /* present, of 32 bits, interrupt or trap */
}

/* The stack for ring 1, from the guest's task state; the processor's own task gets it, too. */
static inline bool read_stack(struct hal_vcpu *v)
{
    u32 stack[2];
    if (!v->task || !read_pair(v, v->task + offsetof(struct tss, esp0), stack))
        return false;
    v->state->tss.esp1 = stack[0];
    v->state->stack[0] = v->state->stack[1] = stack[0] - PROGRAM_FRAME;
    v->state->tss.ss1 = (u16)stack[1] | 1;
    return true;
}

/* The same frame where it does not lie in one page. */
static __noinline bool push_words(struct hal_vcpu *v, u32 *esp, u32 flags, bool outer, const u32 *error)
{
    const struct para_regs *r = v->regs;
    const u32 frame[] = { error ? *error : 0, r->eip, (u16)r->cs, flags, r->esp, (u16)r->ss };
    for (unsigned i = outer ? 6 : 4; i-- > !error;)
        if (para_put(v, *esp -= 4, frame[i]))
            return false;
    return true;
}

/* Push an error code if there is one, EIP, CS, EFLAGS, and from an outer ring ESP and SS. */
static inline bool push_frame(struct hal_vcpu *v, u32 *esp, u32 flags, bool outer, const u32 *error)
{
    const struct para_regs *r = v->regs;
    u32 bytes = 12 + (outer ? 8 : 0) + (error ? 4 : 0), to = *esp - bytes;
    if (to & 3 || (to & ~ENTRY_FRAME) + bytes > PAGE_SIZE)
        return push_words(v, esp, flags, outer, error);
    u32 *at = (u32 *)para_at(v, to, ACCESS_WRITE);
    if (!at)
        return false;
    *esp = to;
    if (error)
        *at++ = *error;
    at[0] = r->eip;
    at[1] = (u16)r->cs;
    at[2] = flags;
    if (outer) {
        at[3] = r->esp;
        at[4] = (u16)r->ss;
    }
    return true;
}

/* `error`: the exception has that error code. */
static const char *enter(struct hal_vcpu *v, const u32 g[2], const u32 *error)
{
    struct para_regs *r = v->regs;
    bool outer = ring_of(v) == 3;
    u32 flags = (r->eflags & ~IF) | (shared_get(v, PARA_SHARE_FLAG) & IF), esp = r->esp, ss = r->ss;
    if (outer) {
        if (!read_stack(v))
            return "triple fault: it has no task state with a stack";
        esp = v->state->tss.esp1;
        ss = v->state->tss.ss1;
    }
    if (!push_frame(v, &esp, flags, outer, error))
        return "triple fault: its handler has no stack";
    r->esp = esp;
    r->ss = ss;
    r->cs = gate_selector(g);
    r->eip = gate_offset(g);
    r->eflags = flags & ~TF_NT_RF;
    if (gate_closes(g))
        shared_set(v, PARA_SHARE_FLAG, 0);
    return NULL;
}

const char *para_deliver(struct hal_vcpu *v, unsigned vector, const u32 *error)
{
    u32 g[2];
    return read_gate(v, vector, g) ? enter(v, g, error) : "triple fault: it has no handler";
}

/* Whether a gate leads to an entry of the guest's own table. To a gate the processor does not apply the ring that a
 * selector asks for (Developer's Manual vol. 3, 14.10.1): one of our segments would be entered in ring 0. */
static bool leads_to_guest(const u32 g[2]) { return gate_selector(g) >> 3 < GUEST_DESCRIPTORS; }

/* From now on the processor takes INT 0x80 to the guest itself. The gate is a trap gate: an interrupt gate would clear
 * the real interrupt flag, and nothing in ring 1 sets it again. */
static __noinline bool open_system_call(struct hal_vcpu *v, const u32 g[2])
{
    u32 to = para_place(para_int80);
    if (v->state->idt[SYSTEM] || !leads_to_guest(g) || !gate_closes(g) || !read_stack(v))
        return false;
    shared_set(v, PARA_SHARE_ENTRY, gate_offset(g));
    v->state->idt[SYSTEM] = (u64)((to & 0xffff0000) | 0xef00) << 32 | gate_selector(g) << 16 | (to & 0xffff);
    return true;
}

const char *para_int(struct hal_vcpu *v, unsigned vector)
{
    u32 g[2];
    if (!read_gate(v, vector, g) || gate_dpl(g) < (ring_of(v) == 3 ? 3u : 0u))
        return para_not;
    if (vector == SYSTEM && open_system_call(v, g))
        return NULL; /* it executes the instruction once more */
    v->regs->eip += 2;
    return enter(v, g, NULL);
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

/* The stub compares the stack pointer with that of a program's entry. QEMU also comes from virtual 8086 mode to ring 1,
 * with the IOPL that the guest chose there, which on the way here has gone. And a guest's kernel may call itself. */
bool para_enter_handler(struct hal_vcpu *v)
{
    if (v->regs->eip != para_place(para_int80) || ring_of(v) != 1)
        return false;
    shared_set(v, PARA_SHARE_FLAG, 0);
    v->regs->eip = shared_get(v, PARA_SHARE_ENTRY);
    return true;
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
        if (unlikely(line == VCPU_EXTERNAL))
            return para_window;
        why = para_deliver(v, IRQ_VECTOR + line, NULL);
        wait = waiting(v);
    }
    v->said = READ_ONCE(v->lines);
    shared_set(v, PARA_SHARE_RAISED, v->said);
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

const char *vcpu_interrupt(struct hal_vcpu *v, unsigned vector) { return para_deliver(v, vector, NULL); }
