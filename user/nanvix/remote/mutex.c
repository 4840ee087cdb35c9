/* SPDX-License-Identifier: MIT */
/*
 * mutex.c - nanvix_mutex, whose lock is a semaphore of the master core with a value of 1 at most (amalgam/remote.h): in
 * place of lib/mutex.c.
 */
#include "descriptor.h"

static inline int word_make(uint32_t *word) { return descriptor_make(word, 1, 1); }

static inline int word_take(uint32_t *word) { return descriptor_down(word); }

static inline int word_try(uint32_t *word)
{
    int64_t result = amalgam_semaphore_try_down(descriptor_of(word));
    return !result ? 0 : result == -AMALGAM_EAGAIN ? -EBUSY : -EINVAL;
}

/* One that is free stays so. */
static inline int word_drop(uint32_t *word)
{
    return amalgam_semaphore_up(descriptor_of(word)) == -AMALGAM_EBADF ? -EINVAL : 0;
}

static inline int word_end(uint32_t *word)
{
    int err = word_try(word);
    if (err)
        return err;
    int64_t result = amalgam_semaphore_close(descriptor_of(word)); /* a thread that waits since has been given none */
    if (result) {
        word_drop(word);
        return -EBUSY;
    }
    *word = 0;
    return 0;
}

#include "../lib/mutex_body.h"
