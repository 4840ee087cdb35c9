/* SPDX-License-Identifier: MIT */
/*
 * hal/context.h - contexts of kernel threads, their stacks, and extended state.
 *
 * `struct context` (from <arch/context.h>) is the callee-saved part of a suspended thread, on its own stack. Extended
 * state (FPU, vector) is in a `struct fpu`. It is switched eagerly between two threads that both own some, and stays in
 * the registers while threads without any run. <arch/context.h> also defines HAL_STACK_SIZE, the bytes of a kernel
 * stack (a power of two, whole pages).
 */
#ifndef AMALGAM_HAL_CONTEXT_H
#define AMALGAM_HAL_CONTEXT_H

#include <types.h>
#include <arch/context.h>

/* Prepare `ctx` so that the first switch to it calls entry(arg), with interrupts off, on the stack that ends at `top`
 * (aligned to 16); entry must not return. */
void context_init(struct context *ctx, void *top, void (*entry)(void *), void *arg);
/* Save the present context in `from` and resume `to`. Interrupts must be off. */
void context_switch(struct context *from, struct context *to);

/* Allocate a kernel stack of HAL_STACK_SIZE bytes above an unmapped guard page. Returns its lowest address, NULL when
 * memory is used up. Thread context. */
void *hal_stack_alloc(void);
void hal_stack_free(void *stack);
/* Free the memory of all free stacks but one. `everywhere` runs a function on each core and returns when all have run
 * it. Thread context (CONFIG_DYNAMIC). */
void hal_stack_trim(void (*everywhere)(void (*fn)(void *)));

/* Returns the bytes of one thread's extended state on this machine; they are aligned to 64. */
size_t fpu_state_size(void);
/* Set the reset state, in a cleared area. */
void fpu_state_init(struct fpu *f, void *area);
/* Set the reset state in `f` and in the registers, which are the calling thread's: `f` is its own. Interrupts must be
 * off (CONFIG_PROCESS). */
void fpu_reset(struct fpu *f);
/* Round the calling thread's arithmetic to 53 bits, as a double is stored. Thread with extended state (CONFIG_SVM). */
void fpu_round_double(void);
/* Set the base register of thread-local data (x86: FS) to `at`, for the calling core until the next call. The kernel
 * does not use it, and does not save it when threads are switched, so one thread of a core may have it. Thread
 * context. */
void thread_pointer_set(void *at);
/* Save this core's extended registers in `from` (NULL: they have no owner) and load them from `to`. Interrupts must
 * be off. */
void fpu_switch(struct fpu *from, struct fpu *to);

#endif
