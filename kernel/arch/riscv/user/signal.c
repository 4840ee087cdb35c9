/* SPDX-License-Identifier: MIT */
/* signal.c (RISC-V) - a program's context on its stack, and back: hal/user.h. */
#include <hal/user.h>

void user_save(const struct user *u, struct user_context *c)
{
    for (unsigned i = 0; i < 32; i++)
        c->x[i] = u->frame.x[i];
}

void user_upcall(struct user *u, u64 entry, u64 stack, u32 signal)
{
    u->frame.x[0] = (unsigned long)entry;
    u->frame.x[X_SP] = (unsigned long)stack;
    u->frame.x[X_A0] = signal;
}

/* entry.S sets what else there is (sstatus). */
bool user_restore(struct user *u, const struct user_context *c)
{
    if (!space_is_user(c->x[0], 1))
        return false;
    for (unsigned i = 0; i < 32; i++)
        u->frame.x[i] = c->x[i];
    return true;
}
