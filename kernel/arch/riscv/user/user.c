/* SPDX-License-Identifier: MIT */
/*
 * user.c - runs processes' threads on this hart: hal/user.h.
 *
 * entry.S exchanges the general registers at each entry. The address space is loaded only if another thread has run on
 * the core since, which the thread's count of turns tells. The scheduler switches extended state.
 */
#include <arch/cpu.h>
#include <arch/paging.h>
#include <core/cpu.h>
#include <hal/upcalls.h>
#include <hal/user.h>

#define INTERRUPT (~(~0ul >> 1)) /* of scause */

extern bool (*user_fast)(struct user *u), (*user_blocking)(struct user *u); /* entry.S */
void user_vector(void);
void user_enter(struct user *u);
int user_copy(void *to, const void *from, size_t n); /* copy.S */

__init_text void user_init(bool (*fast)(struct user *u), bool (*blocking)(struct user *u))
{
    user_fast = fast;
    user_blocking = blocking;
}

/* Load the thread's address space, and, if it is in a call, what user/entry.S takes to be kept: x3, which no C uses,
 * and sstatus (an interrupt of the kernel leaves that as it is here). Flushes its translations, and the instruction
 * cache, since code may have been written. */
__noinline void user_load(struct user *u)
{
    __asm__ volatile("mv gp, %0" ::"r"(u->frame.x[X_GP]));
    csr_clear(sstatus, SSTATUS_SPP);
    csr_set(sstatus, SSTATUS_SPIE);
    csr_write(stvec, (unsigned long)user_vector);
    WRITE_ONCE(u->turn, *u->turns);
    mp_fence(); /* a flush that user_forget() asks for from here on comes after the load below */
    u->cpu = this_cpu();
    csr_write(satp, u->space->satp);
    __asm__ volatile("sfence.vma x0, %0; fence.i" ::"r"(0ul) : "memory");
}

_Static_assert(sizeof(struct user) % (2 * sizeof(long)) == 0, "two words a step");

/* As *u = (struct user){}, which calls memset(). */
static void clear(struct user *u)
{
    unsigned long *w = (unsigned long *)u, *end = (unsigned long *)(u + 1);
#pragma GCC unroll 7
    for (; w < end; w += 2)
        w[0] = w[1] = 0;
}

void user_start(struct user *u, const struct space *s, const unsigned long *turns, u64 entry, u64 stack, u64 arg,
                u64 tp)
{
    clear(u);
    u->space = s;
    u->turns = turns;
    u->frame.x[0] = (unsigned long)entry;
    u->frame.x[X_SP] = (unsigned long)stack;
    u->frame.x[X_TP] = (unsigned long)tp;
    u->frame.x[X_A0] = (unsigned long)arg;
}

static bool on_memory(unsigned long cause)
{
    return cause == CAUSE_FETCH_PAGE || cause == CAUSE_LOAD_PAGE || cause == CAUSE_STORE_PAGE;
}

void user_run(struct user *u, struct user_exit *e)
{
    user_refresh(u);
    user_enter(u);
    unsigned long cause = u->frame.cause;
    if (cause == CAUSE_USER_CALL) {
        e->reason = USER_CALL;
    } else if (cause & INTERRUPT) {
        e->reason = USER_IRQ;
        trap_interrupt(cause & ~INTERRUPT);
    } else {
        *e = (struct user_exit){ .reason = USER_FAULT, .why = trap_name(cause) };
        e->address = on_memory(cause) ? u->frame.value : 0;
        e->access = cause == CAUSE_STORE_PAGE ? SPACE_WRITE : cause == CAUSE_FETCH_PAGE ? SPACE_EXEC : 0;
    }
}

void user_set_pointer(struct user *u, u64 tp) { u->frame.x[X_TP] = (unsigned long)tp; }

static __noinline int load_and_copy(struct user *u, void *to, const void *from, size_t n)
{
    user_load(u);
    return user_copy(to, from, n);
}

int user_copy_piece(struct user *u, void *to, const void *from, size_t n)
{
    return unlikely(user_is_lost(u)) ? load_and_copy(u, to, from, n) : user_copy(to, from, n);
}

u64 user_pc(const struct user *u) { return u->frame.x[0]; }
/* 0: in this ABI a frame record lies below the address in s0, where a generic walk would not look for it. */
u64 user_frame(const struct user *u) { return 0; }
void user_dump(const struct user *u) { arch_dump_frame(&u->frame); }
