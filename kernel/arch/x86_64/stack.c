/* SPDX-License-Identifier: MIT */
/*
 * stack.c - kernel stacks with an unmapped page beneath each, so that an overflow
 * is a double fault with a name and not somebody else's data.
 *
 * A slot's pages stay mapped when its stack is freed and serve the next thread: no
 * TLB shoot-down is ever needed.  Creating threads is rare and may take a lock.
 */
#include <arch/boot.h>
#include <core/frames.h>
#include <core/lock.h>
#include <hal/context.h>
#include <hal/memory.h>
#include <string.h>

#define SLOT_SIZE (2 * HAL_STACK_SIZE)

static struct spinlock lock;
static u64 next = STACKS_BASE;
static void *free_list; /* linked through the first word of each free stack */

static void *new_stack(void)
{
    u64 base = next + SLOT_SIZE - HAL_STACK_SIZE;
    paddr_t pa = frames_alloc(HAL_STACK_SIZE / PAGE_SIZE, PAGE_SIZE);
    if (pa == (paddr_t)-1)
        return NULL;
    if (paging_map(base, pa, HAL_STACK_SIZE, PTE_W | PTE_NX | PTE_G)) {
        frames_free(pa, HAL_STACK_SIZE / PAGE_SIZE);
        return NULL;
    }
    next += SLOT_SIZE;
    return (void *)base;
}

void *hal_stack_alloc(void)
{
    unsigned long flags = spin_lock_irqsave(&lock);
    void *stack = free_list;
    if (stack)
        free_list = *(void **)stack;
    else
        stack = new_stack();
    spin_unlock_irqrestore(&lock, flags);
    return stack;
}

void hal_stack_free(void *stack)
{
    unsigned long flags = spin_lock_irqsave(&lock);
    *(void **)stack = free_list;
    free_list = stack;
    spin_unlock_irqrestore(&lock, flags);
}
