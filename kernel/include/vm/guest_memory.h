/* SPDX-License-Identifier: MIT */
/*
 * vm/guest_memory.h - a guest's RAM as the kernel reaches it: ranges below and above
 * the hole under 4 GiB, more than two where the machine's memory is in pieces.  They
 * are in order.  Every access that a guest can steer goes through guest_ptr(), which is
 * the only place where a guest-physical address becomes a pointer.  A buffer does not
 * cross from a range to the next: no memory map has the last page before a border.
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

/* The `len` bytes at `gpa` if they all lie in one RAM range, else NULL. Never wraps. len 0 is valid. */
static inline void *guest_ptr(const struct guest_memory *m, gpa_t gpa, u64 len)
{
    for (unsigned i = 0; i < m->n; i++) {
        const struct guest_range *r = &m->range[i];
        u64 off = gpa - r->gpa;
        if (gpa >= r->gpa && off <= r->size && len <= r->size - off)
            return r->host + off;
    }
    return NULL;
}

#endif
