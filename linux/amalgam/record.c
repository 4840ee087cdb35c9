// SPDX-License-Identifier: MIT
/*
 * record.c - the record of the memory blocks that the command set offline, so that they come back even if the command
 * is killed.
 *
 * A module cannot set a memory block offline: Linux exports no function for it. The command does it through sysfs, and
 * it can be killed before it gives the block. So the command first claims the block here. When the block goes offline
 * in the process that claimed it, it is on record until it is online again, whoever sets it online.
 *
 * A block that another process set offline is never on record, even if it was claimed: recover leaves it alone. A claim
 * under which no block went offline ends with the next claim of that open file, or when the file is closed. Each block
 * on record holds a reference to the module, because the record would be lost with it.
 *
 * Given CPUs are on record in hotplug.c, given memory in memory.c; record_get() reads all three.
 */
#include <linux/list.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "module.h"

struct block {
    struct list_head link;
    const void *owner; /* the open file that claimed it; only compared */
    pid_t process;     /* the process that claimed it; only it can turn the claim into a record */
    u64 base, size;
    bool offline; /* on record; false: only claimed */
};

static LIST_HEAD(blocks);
static DEFINE_SPINLOCK(blocks_lock); /* the only lock that the memory notifier takes */

static bool overlaps(const struct block *b, u64 base, u64 size)
{
    return base < b->base + b->size && b->base < base + size;
}

/* Remove and free a block. blocks_lock must be held. */
static void drop_block(struct block *b)
{
    if (b->offline)
        module_put(THIS_MODULE);
    list_del(&b->link);
    kfree(b);
}

static bool is_online(u64 base, u64 size)
{
    u64 at;

    for (at = base; at < base + size; at += 1ull << SECTION_SIZE_BITS)
        if (!pfn_to_online_page(at >> PAGE_SHIFT))
            return false;
    return true;
}

void record_release(const void *owner)
{
    struct block *b, *next;

    spin_lock(&blocks_lock);
    list_for_each_entry_safe(b, next, &blocks, link) if (!b->offline && b->owner == owner) drop_block(b);
    spin_unlock(&blocks_lock);
}

int record_claim(const struct amalgam_range *range, const void *owner)
{
    struct block *b, *other;
    int error = memory_check(range->base, range->size, 1ull << SECTION_SIZE_BITS);

    if (error)
        return error;
    record_release(owner);
    b = fail_here() ? NULL : kzalloc(sizeof(*b), GFP_KERNEL);
    if (!b)
        return why(-ENOMEM, "no memory to note what is claimed");
    *b = (struct block){ .owner = owner, .process = current->tgid, .base = range->base, .size = range->size };
    spin_lock(&blocks_lock);
    list_for_each_entry(other, &blocks, link) if (overlaps(other, b->base, b->size)) error = -EEXIST;
    if (!error && !is_online(b->base, b->size))
        error = -EBUSY;
    if (!error)
        list_add_tail(&b->link, &blocks);
    spin_unlock(&blocks_lock);
    if (!error)
        return 0;
    kfree(b);
    return error == -EBUSY ? why(error, "the memory at %#llx is offline already", range->base)
                           : why(error, "the memory at %#llx is claimed, or on record, already", range->base);
}

void record_offline(u64 base, u64 size)
{
    struct block *b;

    spin_lock(&blocks_lock);
    list_for_each_entry(b, &blocks, link)
    {
        if (b->offline || b->process != current->tgid || base < b->base || base + size > b->base + b->size)
            continue;
        b->offline = true;
        __module_get(THIS_MODULE); /* never the first reference: the owner's file is open */
    }
    spin_unlock(&blocks_lock);
}

void record_online(u64 base, u64 size)
{
    struct block *b, *next;

    spin_lock(&blocks_lock);
    list_for_each_entry_safe(b, next, &blocks, link) if (b->offline && overlaps(b, base, size)) drop_block(b);
    spin_unlock(&blocks_lock);
}

/* Drop blocks that are no longer RAM, because the memory was removed from the machine while it was offline. */
static void drop_removed(void)
{
    struct block *b, *next;
    LIST_HEAD(removed);

    spin_lock(&blocks_lock);
    list_for_each_entry_safe(b, next, &blocks, link) if (b->offline && !memory_is_ram(b->base, b->size))
        list_move(&b->link, &removed);
    spin_unlock(&blocks_lock);
    list_for_each_entry_safe(b, next, &removed, link) drop_block(b);
}

/* Fill `held` with block number *skip of those that are offline and not given. Returns false if there are fewer, and
 * reduces *skip by their number. */
static bool next_block(u32 *skip, struct amalgam_held *held)
{
    const struct block *b;
    bool found = false;

    spin_lock(&blocks_lock);
    list_for_each_entry(b, &blocks, link)
    {
        if (!b->offline || memory_is_given(b->base, b->size))
            continue;
        found = !(*skip)--;
        if (!found)
            continue;
        held->kind = AMALGAM_HELD_OFFLINE;
        held->base = b->base;
        held->size = b->size;
        break;
    }
    spin_unlock(&blocks_lock);
    return found;
}

int record_get(struct amalgam_held *held)
{
    u32 skip = held->index;

    *held = (struct amalgam_held){ .index = skip };
    drop_removed();
    if (hotplug_given(&skip, held) || memory_given(&skip, held) || next_block(&skip, held))
        return 0;
    return why(-ENOENT, "nothing else is held");
}

/* Called when the module is unloaded: only claims can be left, because a block on record holds the module. */
void record_stop(void)
{
    struct block *b, *next;

    list_for_each_entry_safe(b, next, &blocks, link) drop_block(b);
}
