/* SPDX-License-Identifier: MIT */
/* signal.c (x86-64) - a program's context on its stack, and back: hal/user.h. */
#include <arch/registers.h>
#include <hal/user.h>

void user_save(const struct user *u, struct user_context *c) { c->frame = u->frame; }

void user_upcall(struct user *u, u64 entry, u64 stack, u32 signal)
{
    u->frame.rip = entry;
    u->frame.rsp = stack;
    u->frame.rdi = signal;
    u->frame.rflags = RFLAGS_START;
}

/* Vector 0: the thread leaves by IRET, as SYSRET would change RCX and R11. */
bool user_restore(struct user *u, const struct user_context *c)
{
    struct trap_frame frame = c->frame;
    if (!space_is_user(frame.rip, 1))
        return false;
    frame.vector = 0;
    frame.cs = u->frame.cs;
    frame.ss = u->frame.ss;
    frame.rflags = (frame.rflags & RFLAGS_USER) | RFLAGS_START;
    u->frame = frame;
    return true;
}
