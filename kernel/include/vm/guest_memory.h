/* SPDX-License-Identifier: MIT */
/*
 * vm/guest_memory.h - a guest's RAM as the kernel accesses it: ranges, in order, below and above the hole under 4 GiB;
 * there are more than two if the machine's memory is in pieces. Each access whose address comes from a guest goes
 * through guest_ptr(), the only place where a guest-physical address becomes a pointer. A buffer cannot cross from one
 * range to the next, because no memory map has the last page before a border.
 */
#ifndef AMALGAM_VM_GUEST_MEMORY_H
#define AMALGAM_VM_GUEST_MEMORY_H

#include <types.h>

#define GUEST_RANGES 8

struct guest_range {
    gpa_t gpa;
    u8 *host;
    u64 size;
};

struct guest_memory {
    unsigned n;
    struct guest_range range[GUEST_RANGES];
};

/* Return a pointer to the `len` bytes at `gpa`, or NULL if they are not all in one RAM range. The sum never wraps.
 * len 0 is valid. A range that is not the first costs four instructions more than the one before it. */
static inline void *guest_ptr(const struct guest_memory *m, gpa_t gpa, u64 len)
{
    const struct guest_range *r = &m->range[m->n];
    do {
        if (r-- == m->range)
            return NULL;
    } while (gpa < r->gpa);
    u64 off = gpa - r->gpa;
    if (off > r->size || len > r->size - off)
        return NULL;
    return r->host + off;
}

#endif
