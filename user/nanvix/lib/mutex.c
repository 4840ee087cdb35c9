/* SPDX-License-Identifier: MIT */
/*
 * mutex.c - nanvix_mutex, whose lock is a word of the program's memory.
 *
 * It stands on the lock of pthread's mutex (user/lib/lock.h), and is not that mutex (user/lib/mutex.c). A program sees
 * Nanvix' struct: each type has an owner, `locked`, and a depth that begins at 1, where a normal one of pthread's
 * writes its word and nothing else. A normal one of Nanvix may be unlocked though it is free; pthread's may be robust,
 * and waited for with a deadline. Errors are negative, NULL is one. What both would share is relock(), in six lines
 * with four parameters.
 */
#include "nanvix.h"

static inline int word_make(const uint32_t *word)
{
    (void)word; /* a new one is 0 */
    return 0;
}
static inline int word_take(uint32_t *word)
{
    nanvix_lock_take(word);
    return 0;
}
static inline int word_try(uint32_t *word) { return nanvix_lock_try(word) ? 0 : -EBUSY; }
static inline int word_drop(uint32_t *word)
{
    nanvix_lock_drop(word);
    return 0;
}
static inline int word_end(uint32_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED) ? -EBUSY : 0; }

#include "mutex_body.h"
