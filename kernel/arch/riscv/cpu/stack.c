/* SPDX-License-Identifier: MIT */
/*
 * stack.c - kernel stacks. Each is the upper half of a slot whose lower half is not mapped.
 *
 * So an overflow is a fault, and traps.S sees it by one bit of the address. A freed stack stays mapped and serves the
 * next thread, so no hart has to flush translations.
 */
#include <arch/memory.h>
#include <arch/paging.h>
#include <core/frames.h>
#include <core/lock.h>
#include <hal/context.h>

/* One entry of the root table, which the first stack makes: the spaces of processes copy it (user/space.c). 256 stacks
 * with 32 bits, 65,536 with 64. */
#define STACKS_END (STACKS_BASE + (1ul << pt_shift(PT_TOP)))

static struct spinlock lock;
static unsigned long next_slot = STACKS_BASE;
static void *free_stacks; /* linked through the first word of each */

static void *new_stack(void)
{
    unsigned long base = next_slot + HAL_STACK_SIZE;
    if (next_slot == STACKS_END)
        return NULL;
    paddr_t pa = frames_alloc(HAL_STACK_SIZE / PAGE_SIZE, PAGE_SIZE);
    if (pa == (paddr_t)-1)
        return NULL;
    if (paging_map(base, pa, HAL_STACK_SIZE, PTE_DATA | PTE_G)) {
        frames_free(pa, HAL_STACK_SIZE / PAGE_SIZE);
        return NULL;
    }
    next_slot += 2 * HAL_STACK_SIZE;
    return (void *)base;
}

void *hal_stack_alloc(void)
{
    unsigned long flags = spin_lock_irqsave(&lock);
    void *stack = free_stacks;
    if (stack)
        free_stacks = *(void **)stack;
    else
        stack = new_stack();
    spin_unlock_irqrestore(&lock, flags);
    return stack;
}

void hal_stack_free(void *stack)
{
    unsigned long flags = spin_lock_irqsave(&lock);
    *(void **)stack = free_stacks;
    free_stacks = stack;
    spin_unlock_irqrestore(&lock, flags);
}
