/* SPDX-License-Identifier: MIT */
/* signal.c (x86, 32 bits) - a program's context on its stack, and back: hal/user.h. */
#include <hal/user.h>

#define FLAGS_START 0x202
#define FLAGS_USER  0x240dd5 /* CF, PF, AF, ZF, SF, TF, DF, OF, AC, ID: a program can set them by POPF */

void user_save(const struct user *u, struct user_context *c)
{
    *c = (struct user_context){ .frame = u->frame };
    c->frame.esp = u->esp;
}

void user_upcall(struct user *u, u64 entry, u64 stack, u32 signal)
{
    u->frame.eip = (u32)entry;
    u->frame.eax = signal;
    u->frame.eflags = FLAGS_START;
    u->esp = (u32)stack;
}

/* user_run() sets CS and SS. */
bool user_restore(struct user *u, const struct user_context *c)
{
    if (!space_is_user(c->frame.eip, 1))
        return false;
    u->frame = c->frame;
    u->frame.eflags = (c->frame.eflags & FLAGS_USER) | FLAGS_START;
    u->esp = c->frame.esp;
    return true;
}
