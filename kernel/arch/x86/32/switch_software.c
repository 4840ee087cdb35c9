/* SPDX-License-Identifier: MIT */
/*
 * switch_software.c - a suspended thread is its stack, with the address at which it goes on.
 *
 * The switch is part of its caller, to which it is an instruction that changes all registers but the stack pointer. So
 * what the caller keeps is saved once, and not by both.
 */
#include <hal/context.h>

extern void switch_start(void); /* switch_software.S */

void context_init(struct context *ctx, void *top, void (*entry)(void *), void *arg)
{
    u32 *sp = (u32 *)top - 3;
    sp[0] = (u32)switch_start;
    sp[1] = (u32)entry;
    sp[2] = (u32)arg;
    ctx->sp = sp;
}

__inlined void context_switch(struct context *from, struct context *to)
{
    __asm__ volatile("push $1f; mov %%esp, (%0); mov (%1), %%esp; ret; 1:"
                     : "+a"(from), "+d"(to)
                     :
                     : "ebx", "ecx", "esi", "edi", "ebp", "memory", "cc");
}
