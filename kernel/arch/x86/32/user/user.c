/* SPDX-License-Identifier: MIT */
/*
 * user.c (32 bits) - processes' threads on this processor: hal/user.h.
 *
 * A thread's registers are loaded in two steps. user/entry.S loads its registers at each entry. Address space, the
 * descriptor of its own data and the stack for the way back change only when another thread has had the core:
 * load_user(). The thread's count of turns tells, so kernel threads need not report that they ran.
 */
#include "../descriptors.h"

#include <arch/cpu.h>
#include <core/cpu.h>
#include <hal/memory.h>
#include <hal/upcalls.h>
#include <hal/user.h>

#define CALL_VECTOR 0x80

_Static_assert(offsetof(struct arch_cpu, tss) + offsetof(struct tss, esp0) == 108, "user/entry.S");
_Static_assert(USER_BASE > 0x10ffef,
               "a program in virtual 8086 mode reaches no page of its own: it makes no call, whose entry has no test");

extern const char user_call[];
extern bool (*user_fast)(struct user *u); /* user/entry.S */
void user_enter(struct user *u);
int user_copy(void *to, const void *from, size_t n);

__init_text void user_init(bool (*fast)(struct user *u), bool (*blocking)(struct user *u))
{
    user_fast = fast;
    idt_open(CALL_VECTOR, user_call);
}

/* Prepare this core for processes, before its first one. */
static __cold void user_enable(struct arch_cpu *a)
{
    a->gdt[SEL_USER_CODE / 8] = segment(0, 0xfffff, 0xfb, 0xc);
    a->gdt[SEL_USER_DATA / 8] = segment(0, 0xfffff, 0xf3, 0xc);
    a->tss.ss0 = SEL_DATA;
}

static __noinline void load_user(struct user *u)
{
    struct arch_cpu *a = &this_cpu()->arch;
    if (!a->tss.ss0)
        user_enable(a);
    a->tss.esp0 = (u32)(&u->ss + 1);
    a->gdt[SEL_USER_TLS / 8] = segment(u->gs_base, 0xfffff, 0xf3, 0xc);
    WRITE_ONCE(u->turn, *u->turns); /* before the space is loaded: a later user_forget() then makes it load again */
    write_cr3(bus_address(virt_to_phys(u->space->root)));
}

/* Load the thread's state if another thread has had the core. Interrupts must be off. */
static inline void load_if_lost(struct user *u)
{
    if (READ_ONCE(u->turn) != *u->turns)
        load_user(u);
}

void user_start(struct user *u, const struct space *s, const unsigned long *turns, u64 entry, u64 stack, u64 arg,
                u64 tp)
{
    *u = (struct user){ .space = s, .turns = turns, .gs_base = (u32)tp };
    u->frame.eip = (u32)entry;
    u->frame.eax = (u32)arg;
    u->frame.eflags = RFLAGS_START;
    u->esp = (u32)stack;
}

void user_run(struct user *u, struct user_exit *e)
{
    load_if_lost(u);
    u->frame.cs = SEL_USER_CODE; /* a program may have changed both */
    u->ss = SEL_USER_DATA;
    user_enter(u);
    u8 vector = u->frame.vector;
    u->frame.esp = u->esp;
    if (vector == CALL_VECTOR) {
        e->reason = USER_CALL;
    } else if (vector < 32 && vector != VEC_NMI && vector != VEC_MC) {
        *e = (struct user_exit){ .reason = USER_FAULT, .why = trap_name(vector) };
        if (vector == VEC_PF) {
            e->address = read_cr2();
            e->access = (u->frame.error >> 1 & SPACE_WRITE) | (u->frame.error >> 3 & SPACE_EXEC);
        }
    } else {
        e->reason = USER_IRQ;
        trap_dispatch(&u->frame);
    }
}

void user_set_pointer(struct user *u, u64 tp)
{
    u->gs_base = (u32)tp;
    u->turn = 0;
}

int user_copy_piece(struct user *u, void *to, const void *from, size_t n)
{
    load_if_lost(u);
    return user_copy(to, from, n);
}

void user_refresh(struct user *u) { load_if_lost(u); }

u64 user_pc(const struct user *u) { return u->frame.eip; }
u64 user_frame(const struct user *u) { return u->frame.ebp; }
void user_dump(const struct user *u) { arch_dump_frame(&u->frame); }
