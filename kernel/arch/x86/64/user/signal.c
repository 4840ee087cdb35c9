/* SPDX-License-Identifier: MIT */
/* signal.c (x86-64) - a program's context on its stack, and back: hal/user.h. */
#include <hal/user.h>

#define FLAGS_START 0x202
#define FLAGS_USER  0x240dd5 /* CF, PF, AF, ZF, SF, TF, DF, OF, AC, ID: a program can set them by POPF */

void user_save(const struct user *u, struct user_context *c) { c->frame = u->frame; }

void user_upcall(struct user *u, u64 entry, u64 stack, u32 signal)
{
    u->frame.rip = entry;
    u->frame.rsp = stack;
    u->frame.rdi = signal;
    u->frame.rflags = FLAGS_START;
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
    frame.rflags = (frame.rflags & FLAGS_USER) | FLAGS_START;
    u->frame = frame;
    return true;
}
