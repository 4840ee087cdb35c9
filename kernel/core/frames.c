/* SPDX-License-Identifier: MIT */
/*
 * frames.c - free physical memory as a sorted array of disjoint ranges that do not touch. There are few ranges and few
 * callers, so it is simple, and keeps large contiguous runs whole for guests.
 *
 * Memory of frames_give() ("gifts") is to be taken back one day. So small allocations, which may stay for good, come
 * from it last, and guests' memory first. Ranges of the two kinds are never merged.
 */
#include <core/frames.h>
#include <core/lock.h>
#include <core/log.h>
#include <errors.h>
#include <hal/memory.h>
#include <string.h>

#define MAX_RANGES 256
#define MAX_GIFTS  256 /* as kernel/attach/memory.c has ranges */
#define LARGE      512 /* pages: as large as a guest's memory */

static struct frames_range ranges[MAX_RANGES];
static unsigned n_ranges;
static struct frames_range gifts[MAX_GIFTS]; /* ranges of frames_give(), free or not, in ascending order */
static unsigned n_gifts;
static struct spinlock lock;

/* Move the ranges [from, n_ranges) to `to`: this removes ranges between, or makes room. */
static void move(unsigned to, unsigned from)
{
    memmove(&ranges[to], &ranges[from], (n_ranges - from) * sizeof(ranges[0]));
    n_ranges += to - from;
}

/* Insert a copy of range `i` before it. Returns false if the array is full. */
static bool open_at(unsigned i)
{
    if (n_ranges == MAX_RANGES)
        return false;
    move(i + 1, i);
    return true;
}

/* Remove [base, end) from range `i`, which contains it. Returns false, with nothing changed, if there is no room for
 * the second part. */
static bool cut(unsigned i, paddr_t base, paddr_t end)
{
    struct frames_range *r = &ranges[i];
    if (base == r->base && end == r->end) {
        move(i, i + 1);
    } else if (base == r->base) {
        r->base = end;
    } else {
        if (end != r->end) {
            if (!open_at(i))
                return false;
            r[1].base = end;
        }
        r->end = base;
    }
    return true;
}

/* Return the index of the first gift that ends above `pa`. In line, as is_gift(), so that a kernel without
 * frames_give() has no code of it. */
static inline __attribute__((always_inline)) unsigned gift_at(paddr_t pa)
{
    unsigned low = 0;
    for (unsigned high = n_gifts; low < high;) {
        unsigned middle = (low + high) / 2;
        if (gifts[middle].end > pa)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static inline __attribute__((always_inline)) bool is_gift(paddr_t pa)
{
    unsigned i = gift_at(pa);
    return i < n_gifts && pa >= gifts[i].base;
}

/* Add [base, end) and merge it with the ranges of its kind that it overlaps or touches. */
static bool add(paddr_t base, paddr_t end)
{
    unsigned i = 0;
    bool gift = is_gift(base);
    while (i < n_ranges && (ranges[i].end < base || (ranges[i].end == base && is_gift(ranges[i].base) != gift)))
        i++;
    while (i < n_ranges && (ranges[i].base < end || (ranges[i].base == end && is_gift(end) == gift))) {
        base = MIN(base, ranges[i].base);
        end = MAX(end, ranges[i].end);
        move(i, i + 1);
    }
    if (!open_at(i))
        return false;
    ranges[i] = (struct frames_range){ base, end };
    return true;
}

#define LAST_PAGE ALIGN_DOWN((paddr_t)-1, PAGE_SIZE)

/* The numbers come from firmware, so nothing here may wrap. The last page of the address space is never memory. */
static __init_text paddr_t end_of(paddr_t base, u64 size)
{
    paddr_t end;
    return __builtin_add_overflow(base, size, &end) ? (paddr_t)-1 : end;
}
static __init_text paddr_t page_up(paddr_t pa) { return ALIGN_UP(MIN(pa, LAST_PAGE), PAGE_SIZE); }

__init_text void frames_add(paddr_t base, u64 size)
{
    paddr_t end = ALIGN_DOWN(end_of(base, size), PAGE_SIZE);
    base = page_up(base);
    if (base < end && !add(base, end))
        printk("frames: too many memory ranges: %llx-%llx not used\n", base, end);
}

__init_text void frames_reserve(paddr_t base, u64 size)
{
    paddr_t end = page_up(end_of(base, size));
    base = ALIGN_DOWN(base, PAGE_SIZE);
    if (!size)
        return;
    for (unsigned i = n_ranges; i--;) { /* downwards, because a cut only moves later ranges */
        paddr_t b = MAX(base, ranges[i].base), e = MIN(end, ranges[i].end);
        if (b < e && !cut(i, b, e))
            panic("frames: no room to reserve %llx-%llx", base, end);
    }
}

/* Without fresh.c nothing is known to be zero. */
__optional void frames_are_zero(paddr_t from) {}
__optional bool frames_note_use(paddr_t base, paddr_t end) { return false; }

static paddr_t alloc_range(bool gift, u64 size, u64 align)
{
    for (unsigned i = 0; i < n_ranges; i++) {
        paddr_t base = ALIGN_UP(ranges[i].base, align);
        if (base < ranges[i].base || base >= ranges[i].end || ranges[i].end - base < size ||
            is_gift(ranges[i].base) != gift)
            continue;
        if (cut(i, base, base + size))
            return base;
    }
    return (paddr_t)-1;
}

static paddr_t alloc(u64 count, u64 align, bool *zero)
{
    u64 size = count << PAGE_SHIFT;
    if (!size || size >> PAGE_SHIFT != count || align < PAGE_SIZE || (align & (align - 1)))
        return (paddr_t)-1;
    paddr_t found = (paddr_t)-1;
    unsigned long flags = spin_lock_irqsave(&lock);
    for (unsigned pass = 0; pass < 2 && found == (paddr_t)-1; pass++)
        found = alloc_range((count >= LARGE) != pass, size, align);
    *zero = found != (paddr_t)-1 && frames_note_use(found, found + size);
    spin_unlock_irqrestore(&lock, flags);
    return found;
}

paddr_t frames_alloc(u64 count, u64 align)
{
    bool zero;
    return alloc(count, align, &zero);
}

paddr_t frames_alloc_clean(u64 count, u64 align)
{
    bool zero;
    paddr_t found = alloc(count, align, &zero);
    if (found != (paddr_t)-1 && !zero)
        clear_pages(phys_to_virt(found), count);
    return found;
}

paddr_t frames_alloc_longest(u64 *count, u64 align)
{
    u64 most = 0;
    unsigned best = 0;
    unsigned long flags = spin_lock_irqsave(&lock);
    for (unsigned i = 0; i < n_ranges; i++) {
        paddr_t base = ALIGN_UP(ranges[i].base, align), end = ALIGN_DOWN(ranges[i].end, align);
        if (base < ranges[i].base || base >= end || end - base <= most || is_gift(base) != !!n_gifts)
            continue;
        most = end - base;
        best = i;
    }
    most = MIN(most >> PAGE_SHIFT, *count) << PAGE_SHIFT;
    paddr_t found = ALIGN_UP(ranges[best].base, align);
    if (!most || !cut(best, found, found + most))
        found = (paddr_t)-1;
    else
        frames_note_use(found, found + most);
    spin_unlock_irqrestore(&lock, flags);
    *count = most >> PAGE_SHIFT;
    return found;
}

void frames_free(paddr_t base, u64 count)
{
    unsigned long flags = spin_lock_irqsave(&lock);
    bool ok = add(base, base + (count << PAGE_SHIFT));
    frames_note_use(base, base + (count << PAGE_SHIFT));
    spin_unlock_irqrestore(&lock, flags);
    if (!ok)
        printk("frames: no room to note %llu free pages at %llx: lost\n", count, base);
}

/* Returns whether the range is whole pages, not empty and below the top of the address space. */
static bool is_page_range(paddr_t base, u64 size)
{
    return size && IS_ALIGNED(base | size, PAGE_SIZE) && base <= LAST_PAGE && size <= LAST_PAGE - base;
}

static void put_gift(unsigned i, paddr_t base, paddr_t end)
{
    memmove(&gifts[i + 1], &gifts[i], (n_gifts++ - i) * sizeof(gifts[0]));
    gifts[i] = (struct frames_range){ base, end };
}

static void drop_gift(unsigned i) { memmove(&gifts[i], &gifts[i + 1], (--n_gifts - i) * sizeof(gifts[0])); }

int frames_give(paddr_t base, u64 size)
{
    if (!is_page_range(base, size))
        return -EINVAL;
    unsigned long flags = spin_lock_irqsave(&lock);
    int err = n_gifts == MAX_GIFTS ? -ENOSPC : 0;
    for (unsigned i = 0; i < n_ranges && !err; i++)
        if (base < ranges[i].end && ranges[i].base < base + size)
            err = -EEXIST;
    if (!err) {
        frames_note_use(base, base + size);
        put_gift(gift_at(base), base, base + size);
        if (!add(base, base + size)) {
            drop_gift(gift_at(base));
            err = -ENOSPC;
        }
    }
    spin_unlock_irqrestore(&lock, flags);
    return err;
}

static int claim(paddr_t base, u64 size)
{
    for (unsigned i = 0; i < n_ranges; i++)
        if (base >= ranges[i].base && base + size <= ranges[i].end)
            return cut(i, base, base + size) ? frames_note_use(base, base + size), 0 : -ENOSPC;
    return -EBUSY;
}

int frames_claim(paddr_t base, u64 size)
{
    if (!is_page_range(base, size))
        return -EINVAL;
    unsigned long flags = spin_lock_irqsave(&lock);
    int err = claim(base, size);
    spin_unlock_irqrestore(&lock, flags);
    return err;
}

int frames_take(paddr_t base, u64 size)
{
    unsigned long flags = spin_lock_irqsave(&lock);
    unsigned i = gift_at(base);
    bool given = i < n_gifts && gifts[i].base == base && gifts[i].end - base == size;
    int err = given ? claim(base, size) : -EINVAL;
    if (!err)
        drop_gift(i);
    spin_unlock_irqrestore(&lock, flags);
    return err;
}

void clear_pages(void *at, u64 count)
{
    for (u8 *page = at; count--; page += PAGE_SIZE) {
        const u64 *w = (const u64 *)page;
        u64 any = 0;
        for (unsigned i = 0; i < PAGE_SIZE / sizeof(u64); i += 8)
            any |= w[i] | w[i + 1] | w[i + 2] | w[i + 3] | w[i + 4] | w[i + 5] | w[i + 6] | w[i + 7];
        if (any)
            memset(page, 0, PAGE_SIZE);
    }
}

void frames_clean(paddr_t base, u64 count)
{
    clear_pages(phys_to_virt(base), count);
    frames_free(base, count);
}

void *pages_alloc(u64 count)
{
    bool zero;
    paddr_t pa = alloc(count, PAGE_SIZE, &zero);
    if (pa == (paddr_t)-1)
        return NULL;
    void *pages = phys_to_virt(pa);
    return zero ? pages : memset(pages, 0, (size_t)count << PAGE_SHIFT);
}

void *page_alloc(void) { return pages_alloc(1); }

void page_free(void *page) { frames_free(virt_to_phys(page), 1); }

void page_clean(void *page)
{
    if (page)
        frames_clean(virt_to_phys(page), 1);
}

u64 frames_free_bytes(void)
{
    unsigned long flags = spin_lock_irqsave(&lock);
    u64 sum = 0;
    for (unsigned i = 0; i < n_ranges; i++)
        sum += ranges[i].end - ranges[i].base;
    spin_unlock_irqrestore(&lock, flags);
    return sum;
}

__init_text unsigned frames_list(struct frames_range *list, unsigned max)
{
    memcpy(list, ranges, MIN(n_ranges, max) * sizeof(ranges[0]));
    return n_ranges;
}
