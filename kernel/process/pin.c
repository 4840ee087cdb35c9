/* SPDX-License-Identifier: MIT */
/*
 * pin.c - holds the frames of a process that another core accesses by their physical addresses: its DMA engine.
 *
 * A pin counts like one more page that maps the frame, so unmap() neither clears nor frees it, and it becomes no table.
 * Who unpins a frame that nothing maps any more does both. A frame with two of these cannot become executable (map.c).
 */
#include <errors.h>
#include <hal/cpu.h>

#include "frames.h"
#include "medium.h"
#include "memory.h"
#include "pages.h"

/* Pin the frame of a page, of which `entry` is the entry. Returns whether the page is there and permits it. Under the
 * lock. */
static inline bool pin_page(struct process *p, space_entry_t entry, u64 va, bool write, struct process_pins *pins)
{
    if (!entry || space_is_lazy(entry) || (write && !(space_rights(entry) & SPACE_WRITE)))
        return false;
    u32 frame = process_frame_at(p, entry, va);
    if (frame > 0xffff)
        return false;
    p->frame[frame]++;
    pins->frame[pins->n++] = (u16)frame;
    return true;
}

/* The same for the frames of a large page from `va` on, which count as one. Returns where it ends, or `va`. */
static __cold __noinline u64 pin_large(struct process *p, space_entry_t entry, u64 va, u64 end, bool write,
                                       struct process_pins *pins)
{
    u32 frame = process_frame_of(p, entry) + (u32)((va & (SPACE_LARGE - 1)) >> PAGE_SHIFT);
    if (!entry || space_is_lazy(entry) || (write && !(space_rights(entry) & SPACE_WRITE)) ||
        frame > 0xffff - SPACE_GROUP)
        return va;
    for (; va < end; va += PAGE_SIZE) {
        ++*process_uses(p, frame);
        pins->frame[pins->n++] = (u16)frame++;
    }
    return va;
}

/* Pin pages from `va` on, up to the end of their group: with one walk. Returns the address of the first one that was
 * not. */
static u64 pin_some(struct process *p, u64 va, u64 end, bool write, struct process_pins *pins)
{
    u64 size, group = ALIGN_DOWN(va, SPACE_GROUP * PAGE_SIZE) + SPACE_GROUP * PAGE_SIZE;
    unsigned long flags = spin_lock_irqsave(&p->lock);
    const space_entry_t *entry = space_walk(&p->space, va, &size);
    end = MIN(end, group);
    if (SPACE_LARGE && unlikely(size == SPACE_LARGE))
        va = pin_large(p, *entry, va, end, write, pins);
    for (; size == PAGE_SIZE && va < end && pin_page(p, *entry, va, write, pins); entry++)
        va += PAGE_SIZE;
    spin_unlock_irqrestore(&p->lock, flags);
    return va;
}

int process_pin(struct process_thread *t, u64 at, size_t n, bool write, struct process_pins *pins)
{
    u64 end = at + n, va = ALIGN_DOWN(at, PAGE_SIZE);
    if (!n || n > MIB || at < USER_BASE || at >= PROCESS_PARTS || n > PROCESS_PARTS - at)
        return -EFAULT;
    pins->memory = phys_to_virt(t->process->memory);
    pins->n = 0;
    pins->offset = (u32)(at - va);
    while (va < end) {
        u64 next = pin_some(t->process, va, end, write, pins);
        if (next == va && !process_page_in(t, va, 1, write ? SPACE_WRITE : 0)) {
            process_unpin(t, pins);
            return -EFAULT;
        }
        va = next;
    }
    return 0;
}

/* The last one that held a frame: no page maps it, but a core may still remember one that did. */
static __cold __noinline void free_frame(struct process_thread *t, u32 frame)
{
    process_flush(t->process, t);
    process_frame_clean(t->process, frame);
}

/* `large`: some may be frames of large pages. */
static inline __attribute__((always_inline)) void unpin(struct process_thread *t, const struct process_pins *pins,
                                                        const bool large)
{
    struct process *p = t->process;
    for (u32 i = 0; i < pins->n;) {
        u32 last = FRAME_NONE;
        unsigned long flags = spin_lock_irqsave(&p->lock);
        for (u32 end = MIN(i + SPACE_GROUP, pins->n); i < end && last == FRAME_NONE; i++)
            if (--*(large ? process_uses(p, pins->frame[i]) : &p->frame[pins->frame[i]]) == FRAME_USED)
                last = pins->frame[i];
        spin_unlock_irqrestore(&p->lock, flags);
        if (last != FRAME_NONE)
            free_frame(t, last);
    }
}

static __cold __noinline void unpin_large(struct process_thread *t, const struct process_pins *pins)
{
    unpin(t, pins, true);
}

/* A pinned large page is one of n_large, so that is not 0 here if there is one among these. */
void process_unpin(struct process_thread *t, const struct process_pins *pins)
{
    if (SPACE_LARGE && unlikely(READ_ONCE(t->process->n_large)))
        unpin_large(t, pins);
    else
        unpin(t, pins, false);
}
