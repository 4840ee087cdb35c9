/* SPDX-License-Identifier: MIT */
/*
 * vm/guest_memory.h - a guest's RAM as the kernel reaches it: at most two ranges
 * (below and above the hole under 4 GiB).  Every access that a guest can steer goes
 * through guest_ptr(), which is the only place where a guest-physical address
 * becomes a pointer.
 */
#ifndef AMALGAM_VM_GUEST_MEMORY_H
#define AMALGAM_VM_GUEST_MEMORY_H

#include <types.h>

struct guest_range {
    gpa_t gpa;
    u8 *host;
    u64 size;
};

struct guest_memory {
    unsigned n;
    struct guest_range range[2];
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
