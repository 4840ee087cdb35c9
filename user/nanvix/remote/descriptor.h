/* SPDX-License-Identifier: MIT */
/*
 * descriptor.h - a word that names a semaphore of the master core (amalgam/remote.h): its descriptor, + 1, so that one
 * that was not made is none.
 */
#ifndef AMALGAM_NANVIX_DESCRIPTOR_H
#define AMALGAM_NANVIX_DESCRIPTOR_H

#include <amalgam/remote.h>

#include "../lib/nanvix.h"

static inline unsigned descriptor_of(const uint32_t *word) { return (*word - 1) & 0xffff; }

/* Returns 0 or an error, and then the word names none. */
static inline int descriptor_make(uint32_t *word, uint32_t value, uint32_t most)
{
    int64_t id = amalgam_semaphore_create(value, most);
    *word = id < 0 ? 0 : (uint32_t)id + 1;
    return id < 0 ? (int)nanvix_result(id) : 0;
}

/* Returns 0, or -EINVAL: it names none. */
static inline int descriptor_down(const uint32_t *word)
{
    int64_t result;
    while ((result = amalgam_semaphore_down(descriptor_of(word))) == -AMALGAM_EINTR)
        ;
    return result ? -EINVAL : 0;
}

#endif
