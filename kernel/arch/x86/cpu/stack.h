/* SPDX-License-Identifier: MIT */
/* stack.h - the slots of kernel stacks, for stack.c and stack_trim.c. */
#ifndef AMALGAM_X86_STACK_H
#define AMALGAM_X86_STACK_H

#include <arch/boot.h>
#include <core/lock.h>
#include <hal/context.h>
#include <hal/memory.h>

#define SLOT_SIZE   (2 * HAL_STACK_SIZE)
#define EMPTY_SLOTS 192 /* number of empty slots that can be recorded; a system has at most 128 threads */

extern struct stacks {
    struct spinlock lock;
    unsigned long used;     /* bytes of the slots that were used, from STACKS_BASE on */
    void *free;             /* stacks with memory, linked by the first word of each */
    u64 empty[EMPTY_SLOTS]; /* slots of these without memory */
    unsigned n_empty;
} stacks;

#endif
