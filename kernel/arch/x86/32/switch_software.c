/* SPDX-License-Identifier: MIT */
/* switch_software.c - new contexts for switch_software.S. */
#include <hal/context.h>

extern void context_start(void);

void context_init(struct context *ctx, void *top, void (*entry)(void *), void *arg)
{
    /* The registers that context_switch() pops: ebp, edi, esi, ebx, and the return address. */
    u32 *sp = (u32 *)top - 5;
    sp[2] = (u32)arg;
    sp[3] = (u32)entry;
    sp[4] = (u32)context_start;
    ctx->sp = sp;
}
