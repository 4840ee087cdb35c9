/* SPDX-License-Identifier: MIT */
/*
 * mutex.c - nanvix_mutex, whose lock is a semaphore of the master core with a value of 1 at most (amalgam/remote.h): in
 * place of lib/mutex.c. Its word is the descriptor, + 1, so that one that was not made is none.
 */
#include <amalgam/remote.h>

#include "../lib/nanvix.h"

static inline unsigned id_of(const uint32_t *word) { return (*word - 1) & 0xffff; }

static inline int word_make(uint32_t *word)
{
    int64_t id = amalgam_semaphore_create(1, 1);
    *word = id < 0 ? 0 : (uint32_t)id + 1;
    return id < 0 ? (int)nanvix_result(id) : 0;
}

static inline int word_take(uint32_t *word)
{
    int64_t result;
    while ((result = amalgam_semaphore_down(id_of(word))) == -AMALGAM_EINTR)
        ;
    return result ? -EINVAL : 0;
}

static inline int word_try(uint32_t *word)
{
    int64_t result = amalgam_semaphore_try_down(id_of(word));
    return !result ? 0 : result == -AMALGAM_EAGAIN ? -EBUSY : -EINVAL;
}

/* One that is free stays so. */
static inline int word_drop(uint32_t *word)
{
    return amalgam_semaphore_up(id_of(word)) == -AMALGAM_EBADF ? -EINVAL : 0;
}

static inline int word_end(uint32_t *word)
{
    int err = word_try(word);
    if (err)
        return err;
    int64_t result = amalgam_semaphore_close(id_of(word)); /* a thread that waits since has been given none */
    if (result) {
        word_drop(word);
        return -EBUSY;
    }
    *word = 0;
    return 0;
}

#include "../lib/mutex_body.h"
