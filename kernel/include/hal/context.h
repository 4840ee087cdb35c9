/* SPDX-License-Identifier: MIT */
/*
 * hal/context.h - kernel stacks change hands here.
 *
 * `struct context` (from <arch/context.h>) is the callee-saved part of a
 * suspended thread, on its own stack.  Extended state (FPU, vector) belongs to
 * `struct fpu`, switched eagerly between two threads that both own some and left
 * loaded across threads that own none.  HAL_STACK_SIZE, bytes of a kernel stack (a power of two, whole pages), is
 * <arch/context.h>'s, too.
 */
#ifndef AMALGAM_HAL_CONTEXT_H
#define AMALGAM_HAL_CONTEXT_H

#include <types.h>
#include <arch/context.h>

/* Prepare `ctx` so that the first switch to it calls entry(arg) on the stack that ends at `top`
 * (aligned to 16), with interrupts disabled; entry must not return. */
void context_init(struct context *ctx, void *top, void (*entry)(void *), void *arg);
/* Suspend into `from`, resume `to`; interrupts disabled. */
void context_switch(struct context *from, struct context *to);

/* A kernel stack of HAL_STACK_SIZE bytes above an unmapped guard page; returns its lowest address, NULL when
 * memory is used up. Thread context. */
void *hal_stack_alloc(void);
void hal_stack_free(void *stack);
/* Give the memory of all free stacks but one back. `everywhere` runs a function on every core and returns when all
 * have. Thread context (CONFIG_DYNAMIC). */
void hal_stack_trim(void (*everywhere)(void (*fn)(void *)));

/* Bytes that one thread's extended state takes on this machine, and its alignment (64). */
size_t fpu_state_size(void);
/* The reset state, in an area that was cleared. */
void fpu_state_init(struct fpu *f, void *area);
/* Round the calling thread's arithmetic to 53 bits, as a double is stored. Thread with extended state (CONFIG_SVM). */
void fpu_round_double(void);
/* Let the register of threads' own data (x86: FS) begin at `at`, for the calling core until the next call. The kernel
 * does not use it, and does not save it when threads are switched: one thread of a core may have it. Thread context. */
void thread_pointer_set(void *at);
/* Write this core's registers into `from` (NULL: they are nobody's) and load them from `to`; interrupts disabled. */
void fpu_switch(struct fpu *from, struct fpu *to);

#endif
