/* SPDX-License-Identifier: MIT */
/*
 * stack_trim.c - frees the memory of unused kernel stacks when a system is destroyed.
 *
 * A slot is unmapped, then all cores flush its translations; only then is its memory freed, and may the slot be mapped
 * again. One free stack is kept, because the flush on other cores needs it. Page tables are kept: they are created at
 * boot, for all slots that can be in use.
 */
#include <arch/boot.h>
#include <core/frames.h>
#include <core/init.h>
#include <core/log.h>
#include <string.h>

#include "stack.h"

#define BATCH 32

struct unmapped {
    u64 slot;
    paddr_t memory;
};

/* Unmap up to BATCH of the free stacks, but not the first. */
static unsigned unmap(struct unmapped *batch)
{
    unsigned n = 0;
    unsigned long flags = spin_lock_irqsave(&stacks.lock);
    void *keep = stacks.free;
    while (keep && n < MIN(BATCH, EMPTY_SLOTS - stacks.n_empty) && *(void **)keep) {
        char *stack = *(void **)keep;
        *(void **)keep = *(void **)stack;
        batch[n].memory = *paging_entry(stack) & PTE_ADDR;
        batch[n++].slot = (unsigned long)stack + HAL_STACK_SIZE - SLOT_SIZE;
        for (unsigned at = 0; at < HAL_STACK_SIZE; at += PAGE_SIZE)
            *paging_entry(stack + at) = 0;
    }
    spin_unlock_irqrestore(&stacks.lock, flags);
    return n;
}

static void flush(void *arg)
{
    unsigned long flags = irq_save();
    paging_flush();
    irq_restore(flags);
}

/* Overwrite the stack that was kept: it may be a domain's. */
static void clean_kept(void)
{
    char *stack = hal_stack_alloc();
    if (stack)
        hal_stack_free(memset(stack, 0, HAL_STACK_SIZE));
}

void hal_stack_trim(void (*everywhere)(void (*fn)(void *)))
{
    struct unmapped batch[BATCH];
    unsigned n;
    do {
        n = unmap(batch);
        everywhere(flush);
        for (unsigned i = 0; i < n; i++)
            frames_clean(batch[i].memory, HAL_STACK_SIZE / PAGE_SIZE);
        unsigned long flags = spin_lock_irqsave(&stacks.lock);
        for (unsigned i = 0; i < n; i++)
            stacks.empty[stacks.n_empty++] = batch[i].slot;
        spin_unlock_irqrestore(&stacks.lock, flags);
    } while (n);
    clean_kept();
}

/* Create the page tables of all slots: map and unmap one page of each table's span, a guard page. */
static void prepare_tables(void)
{
    paddr_t any = virt_to_phys(&stacks) & ~(PAGE_SIZE - 1);
    for (unsigned long va = STACKS_BASE; va < STACKS_BASE + EMPTY_SLOTS * SLOT_SIZE; va += PTE_TABLE_SPAN) {
        if (paging_map(va, any, PAGE_SIZE, PTE_NX))
            panic("stacks: no memory for page tables");
        *paging_entry((void *)va) = 0;
    }
    paging_flush();
}
INIT_CALL(prepare_tables);
