/* SPDX-License-Identifier: MIT */
/* signal.c (x86, 32 bits) - a program's context on its stack, and back: hal/user.h. */
#include <arch/registers.h>
#include <hal/user.h>

void user_save(const struct user *u, struct user_context *c)
{
    *c = (struct user_context){ .frame = u->frame };
    c->frame.esp = u->esp;
}

void user_upcall(struct user *u, u64 entry, u64 stack, u32 signal)
{
    u->frame.eip = (u32)entry;
    u->frame.eax = signal;
    u->frame.eflags = RFLAGS_START;
    u->esp = (u32)stack;
}

/* user_run() sets CS and SS. */
bool user_restore(struct user *u, const struct user_context *c)
{
    if (!space_is_user(c->frame.eip, 1))
        return false;
    u->frame = c->frame;
    u->frame.eflags = (c->frame.eflags & RFLAGS_USER) | RFLAGS_START;
    u->esp = c->frame.esp;
    return true;
}
