/* SPDX-License-Identifier: MIT */
/* inspect.c - what a process finds at its addresses; kernel/api/pages.yaml describes the call. */
#include <errors.h>
#include <generated/pages_calls.h>

#include "views.h"

#define READS    1
#define WRITES   2
#define EXECUTES 4

/* Returns the call's answer for the entry of a page of `page` bytes, whose frames are those of a process's memory from
 * `memory` on; or -EFAULT. */
static s64 answer(space_entry_t entry, u64 address, u64 page, paddr_t memory)
{
    if (!entry || space_is_lazy(entry))
        return -EFAULT;
    unsigned rights = space_rights(entry);
    paddr_t at = ALIGN_DOWN(space_frame(entry), (paddr_t)page) + (paddr_t)(address & (page - 1));
    u32 bits = READS | (rights & SPACE_WRITE ? WRITES : 0) | (rights & SPACE_EXEC ? EXECUTES : 0);
    return (s64)((at - memory) >> PAGE_SHIFT << 4 | bits);
}

static s64 inspect_own(struct process *p, u64 address)
{
    u64 size;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    space_entry_t entry = *space_walk(&p->space, address, &size);
    spin_unlock_irqrestore(&p->lock, flags);
    return answer(entry, address, space_is_medium(entry) ? SPACE_MEDIUM : size, p->memory);
}

static s64 inspect_view(struct memory *m, u64 address)
{
    const struct view *v = &m->view[(address - VIEWS_AT) / MIB];
    s64 result = -EFAULT;
    unsigned long flags = spin_lock_irqsave(&m->lock);
    if (v->object && (address % MIB) / PAGE_SIZE < v->shown) {
        u64 size;
        const space_entry_t *entry = space_walk(&m->process->space, address, &size);
        result = answer(*entry, address, PAGE_SIZE, virt_to_phys(range_of(v->object)->pins.memory));
    }
    spin_unlock_irqrestore(&m->lock, flags);
    return result;
}

s64 pages_call_pages_inspect(struct process_thread *t, u64 address)
{
    if (!IS_ALIGNED(address, PAGE_SIZE))
        return -EINVAL;
    if (address >= VIEWS_AT && address < VIEWS_AT + VIEWS * MIB)
        return inspect_view(memory_of(t->process->domain->id), address);
    return process_check_pages(address, PAGE_SIZE) ? -EFAULT : inspect_own(t->process, address);
}
