/* SPDX-License-Identifier: MIT */
/*
 * stack.c - kernel stacks with an unmapped page below each, so that an overflow is a double fault with a name and does
 * not change other data.
 *
 * The pages of a freed stack stay mapped and serve the next thread, so no TLB shoot-down is needed, except when a
 * system is destroyed (stack_trim.c). Creating threads is rare and may take a lock.
 */
#include <core/frames.h>
#include <string.h>

#include "stack.h"

struct stacks stacks;

static void *new_stack(void)
{
    unsigned long slot = stacks.n_empty ? stacks.empty[stacks.n_empty - 1] : STACKS_BASE + stacks.used;
    unsigned long base = slot + SLOT_SIZE - HAL_STACK_SIZE;
    paddr_t pa = frames_alloc(HAL_STACK_SIZE / PAGE_SIZE, PAGE_SIZE);
    if (pa == (paddr_t)-1)
        return NULL;
    if (paging_map(base, pa, HAL_STACK_SIZE, PTE_W | PTE_NX | PTE_G)) {
        frames_free(pa, HAL_STACK_SIZE / PAGE_SIZE);
        return NULL;
    }
    if (stacks.n_empty)
        stacks.n_empty--;
    else
        stacks.used += SLOT_SIZE;
    return (void *)base;
}

void *hal_stack_alloc(void)
{
    unsigned long flags = spin_lock_irqsave(&stacks.lock);
    void *stack = stacks.free;
    if (stack)
        stacks.free = *(void **)stack;
    else
        stack = new_stack();
    spin_unlock_irqrestore(&stacks.lock, flags);
    return stack;
}

void hal_stack_free(void *stack)
{
    unsigned long flags = spin_lock_irqsave(&stacks.lock);
    *(void **)stack = stacks.free;
    stacks.free = stack;
    spin_unlock_irqrestore(&stacks.lock, flags);
}
