// SPDX-License-Identifier: MIT
/*
 * memory.c - memory that is given to the kernel beneath, and that Linux gets back.
 *
 * Only memory that Linux has set offline can be given: Linux has nothing in it, and no allocator has its pages. Once
 * given it cannot go online, because Linux would only read ones there. Every CPU has to flush its translations before
 * the kernel uses the memory.
 */
#include <linux/cpu.h>
#include <linux/ioport.h>
#include <linux/list.h>
#include <linux/memory.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "module.h"

struct given {
    struct list_head link;
    u64 base, size;
};

static LIST_HEAD(all_given);       /* changed with amalgam.lock and list_lock held; read with either */
static DEFINE_SPINLOCK(list_lock); /* the only lock that on_memory() takes */
static bool going_online;          /* Linux is setting memory online: between MEM_GOING_ONLINE and its end */

static bool overlaps(const struct given *g, u64 base, u64 size)
{
    return base < g->base + g->size && g->base < base + size;
}

bool memory_is_given(u64 base, u64 size)
{
    const struct given *g;
    bool found = false;

    spin_lock(&list_lock);
    list_for_each_entry(g, &all_given, link) found |= overlaps(g, base, size);
    spin_unlock(&list_lock);
    return found;
}

/* Put the range on the list, so that it cannot go online. Fails while any memory is going online. */
static int reserve(struct given *g)
{
    int error = 0;

    spin_lock(&list_lock);
    if (going_online)
        error = -EAGAIN;
    else
        list_add(&g->link, &all_given);
    spin_unlock(&list_lock);
    return error ? why(error, "memory is just going online") : 0;
}

static void unlist(struct given *g)
{
    spin_lock(&list_lock);
    list_del(&g->link);
    spin_unlock(&list_lock);
}

static void release(struct given *g)
{
    unlist(g);
    kfree(g);
}

bool memory_is_ram(u64 base, u64 size)
{
    return region_intersects(base, size, IORESOURCE_SYSTEM_RAM, IORES_DESC_NONE) == REGION_INTERSECTS;
}

int memory_check(u64 base, u64 size, u64 granule)
{
    if (!size || (base | size) & (granule - 1) || base + size < base)
        return why(-EINVAL, "%#llx bytes at %#llx are not whole pages of %#llx bytes", size, base, granule);
    if (!memory_is_ram(base, size))
        return why(-EINVAL, "%#llx bytes at %#llx are not all RAM", size, base);
    if (memory_is_given(base, size))
        return why(-EEXIST, "some of %#llx bytes at %#llx were given already", size, base);
    return 0;
}

static int check_offline(const struct given *g)
{
    u64 at;

    for (at = g->base; at < g->base + g->size; at += PAGE_SIZE)
        if (pfn_to_online_page(at >> PAGE_SHIFT))
            return why(-EBUSY, "the page at %#llx is online: set its memory block offline first", at);
    return 0;
}

/* Map the range in Linux's nested tables again, 2 MiB at a time because the kernel clears each before. */
static int unhide(u64 base, u64 size)
{
    u64 at;

    for (at = base; at < base + size; at += SZ_2M) {
        s64 error = kernel_call(ATTACH_CALL_MEM_SHOW, at, SZ_2M);

        if (error < 0)
            return why(error, "the kernel does not give back %#llx (%lld)", at, error);
        cond_resched();
    }
    return 0;
}

/* Give the range to the kernel: hide it from Linux, flush all CPUs, then let the kernel use it. */
static int hide(u64 base, u64 size)
{
    s64 error = kernel_call(ATTACH_CALL_MEM_GIVE, base, size);

    if (error < 0)
        return why(error, "the kernel does not take %#llx bytes at %#llx (%lld)", size, base, error);
    flush_all();
    error = kernel_call(ATTACH_CALL_MEM_COMMIT, base, size);
    if (error >= 0)
        return 0;
    why(error, "the kernel cannot use %#llx bytes at %#llx (%lld)", size, base, error);
    if (!kernel_call(ATTACH_CALL_MEM_TAKE, base, size))
        unhide(base, size);
    return error;
}

int memory_give(const struct amalgam_range *range)
{
    int error = memory_check(range->base, range->size, SZ_2M);
    struct given *g;

    if (error)
        return error;
    g = fail_here() ? NULL : kzalloc(sizeof(*g), GFP_KERNEL);
    if (!g)
        return why(-ENOMEM, "no memory to note what is given");
    g->base = range->base;
    g->size = range->size;
    error = reserve(g);
    if (error) {
        kfree(g);
        return error;
    }
    error = check_offline(g) ?: guard_begin() ?: hide(g->base, g->size);
    if (error) {
        release(g);
        guard_end();
    }
    return error;
}

int memory_write(const struct amalgam_write *args)
{
    struct given g = { .base = ALIGN_DOWN(args->base, PAGE_SIZE) };
    int error;

    if (!args->size || args->base + args->size < args->base || args->base + args->size > U64_MAX - PAGE_SIZE)
        return why(-EINVAL, "%#llx bytes at %#llx are no range", args->size, args->base);
    if (!amalgam.copy)
        return why(-E2BIG, "%#llx bytes are more than %u at once", args->size, COPY_MAX);
    g.size = ALIGN(args->base + args->size, PAGE_SIZE) - g.base;
    error = memory_check(g.base, g.size, PAGE_SIZE) ?: reserve(&g);
    if (error)
        return error;
    error = check_offline(&g);
    if (!error)
        memcpy(__va(args->base), amalgam.copy, args->size); /* offline memory is still in Linux's direct map */
    unlist(&g);
    return error;
}

int memory_take(const struct amalgam_range *range)
{
    struct given *g;
    s64 error;

    list_for_each_entry(g, &all_given, link) if (g->base == range->base && g->size == range->size) break;
    if (list_entry_is_head(g, &all_given, link))
        return why(-ENOENT, "%#llx bytes at %#llx were not given like this", range->size, range->base);
    error = kernel_call(ATTACH_CALL_MEM_TAKE, g->base, g->size);
    if (error < 0)
        return why(error, "%#llx bytes at %#llx are in use by the kernel or a domain (%lld)", g->size, g->base, error);
    error = unhide(g->base, g->size);
    if (error)
        return error;
    release(g);
    guard_end();
    return 0;
}

static int on_memory(struct notifier_block *block, unsigned long action, void *data)
{
    const struct memory_notify *m = data;
    u64 base = (u64)m->start_pfn << PAGE_SHIFT, size = (u64)m->nr_pages << PAGE_SHIFT;
    bool refused = false;

    if (action == MEM_GOING_ONLINE)
        refused = memory_is_given(base, size);
    if (action == MEM_OFFLINE)
        record_offline(base, size);
    if (action == MEM_ONLINE)
        record_online(base, size);
    if (action == MEM_GOING_ONLINE || action == MEM_ONLINE || action == MEM_CANCEL_ONLINE) {
        spin_lock(&list_lock);
        going_online = action == MEM_GOING_ONLINE && !refused;
        spin_unlock(&list_lock);
    }
    return refused ? notifier_from_errno(-EBUSY) : NOTIFY_OK;
}

static struct notifier_block memory_block = { .notifier_call = on_memory };

bool memory_given(u32 *skip, struct amalgam_held *held)
{
    const struct given *g;

    list_for_each_entry(g, &all_given, link)
    {
        if ((*skip)--)
            continue;
        held->kind = AMALGAM_HELD_MEMORY;
        held->base = g->base;
        held->size = g->size;
        return true;
    }
    return false;
}

int memory_start(void) { return register_memory_notifier(&memory_block); }

void memory_stop(void)
{
    unregister_memory_notifier(&memory_block);
    record_stop();
}
