/* SPDX-License-Identifier: MIT */
/*
 * cancel.h - cancellation points (POSIX, 2.9.5.2). A function that may sleep asks first by cancel_test(), sleeps by
 * cancel_wait(), and when that says -ECANCELED undoes what it has begun and asks again. Programs that call no
 * pthread_cancel() have none of it (pthread_cancel.c).
 */
#ifndef AMALGAM_USER_CANCEL_H
#define AMALGAM_USER_CANCEL_H

#include <amalgam/calls.h>
#include <errno.h>

struct cancel_hooks {
    void (*test)(void);
    int64_t (*wait)(const uint32_t *word, uint32_t value, uint64_t deadline);
    /* Around a handler, which may have interrupted a wait: no point of the thread is current in it. */
    void *(*suspend)(void);
    void (*resume)(void *point);
    /* In an upcall: end a wait of the caller if it is to be cancelled. May not return. */
    void (*look)(void);
};
/* NULL: no thread is ever cancelled. Not a weak name: the linker would find the part in the archive on its own. */
extern const struct cancel_hooks *cancel_hooks;

extern _Thread_local int cancel_state, cancel_type; /* pthread_cleanup.c */

/* End the calling thread if it is to be cancelled. */
static inline __attribute__((always_inline)) void cancel_test(void)
{
    if (__builtin_expect(cancel_hooks != NULL, 0))
        cancel_hooks->test();
}

/* As amalgam_wait(); -ECANCELED: the thread is to be cancelled. */
static inline int64_t cancel_wait(const uint32_t *word, uint32_t value, uint64_t deadline)
{
    if (__builtin_expect(cancel_hooks != NULL, 0))
        return cancel_hooks->wait(word, value, deadline);
    return amalgam_wait(word, value, deadline);
}

#endif
