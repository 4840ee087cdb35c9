/* SPDX-License-Identifier: MIT */
/* threads.h - threads on the fake machine's two cores that say in which order they came to run. */
#ifndef AMALGAM_TESTS_THREADS_H
#define AMALGAM_TESTS_THREADS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host.h"
#include <errors.h>
#include <string.h>

static char order[256];

static inline void say(char c)
{
    size_t n = strlen(order);
    order[n] = c;
    order[n + 1] = '\0';
}
static inline void say_once(void *arg) { say(*(char *)arg); } /* a thread's body */

static inline int setup(void **state)
{
    order[0] = '\0';
    host_boot(2);
    return 0;
}

/* Ready, but nobody has run yet. */
static inline struct thread *spawn(const char *name, unsigned cpu, unsigned prio, void (*fn)(void *), void *arg)
{
    struct thread *t = thread_create(name, cpu, prio, fn, arg, NULL, false);
    assert_non_null(t);
    thread_start(t);
    return t;
}

#endif
