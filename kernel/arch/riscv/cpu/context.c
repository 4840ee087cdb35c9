/* SPDX-License-Identifier: MIT */
/* context.c - a thread's first context, and extended state (hal/context.h). */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <hal/cache.h>
#include <hal/context.h>

void context_start(void); /* switch.S */
void fpu_save(u64 *area); /* fpu.S */
void fpu_restore(const u64 *area);
void fpu_clear(void);

void context_init(struct context *ctx, void *top, void (*entry)(void *), void *arg)
{
    unsigned long *sp = (unsigned long *)top - SAVED_WORDS;
    sp[0] = (unsigned long)context_start;
    sp[1] = (unsigned long)entry;
    sp[2] = (unsigned long)arg;
    cache_clean(sp, 3 * sizeof(*sp)); /* another core may run the thread */
    ctx->sp = sp;
}

/* The unit is always on: no code of the kernel uses it, and processes' threads own extended state. */
__init_text void fpu_init_hart(void) { csr_set(sstatus, SSTATUS_FS); }

size_t fpu_state_size(void) { return 33 * sizeof(u64); }

void fpu_state_init(struct fpu *f, void *area) { f->area = area; }

/* The record is written when another owner comes. */
void fpu_reset(struct fpu *f) { fpu_clear(); }

void fpu_switch(struct fpu *from, struct fpu *to)
{
    if (from)
        fpu_save(from->area);
    fpu_restore(to->area);
}
