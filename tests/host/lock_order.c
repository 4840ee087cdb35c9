/* SPDX-License-Identifier: MIT */
/*
 * lock_order.c - checks the order in which kernel code takes spin locks in a unit test against docs/locks.md.
 *
 * Locks are told apart by class, as the documented table has them; the place in the source that takes a lock tells its
 * class (lock_order.py makes the tables from docs/locks.md). A lock that is taken is compared with all that the same
 * core holds: each of their classes must permit the new one inside it. Since the table permits a class only above it,
 * an order that is permitted cannot be part of a cycle, and one that could deadlock fails in the first test that comes
 * along, whether or not two cores meet there. The pairs that were seen can be recorded: LOCK_ORDER=FILE in the
 * environment appends them.
 *
 * What a test itself takes, playing another core, is not checked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lock_order.h"
#include <generated/lock_order.h>

#define MOST 16 /* locks at once */

struct held {
    const void *lock, *core;
    const struct lock_site *site;
};

/* For tests without a core. */
__attribute__((weak)) struct cpu *host_this_cpu;
__attribute__((weak)) bool host_irq_on;

void (*host_at_lock)(const void *lock);
static __thread struct held held[MOST];
static __thread unsigned n_held;
static unsigned char seen[LOCK_CLASSES][LOCK_CLASSES];

__attribute__((weak)) void lock_order_failed(const char *what)
{
    fprintf(stderr, "lock order: %s\n", what);
    abort();
}

static void fail(const char *what, const struct lock_site *site, const struct lock_site *outer)
{
    char text[400];
    int n = snprintf(text, sizeof(text), "%s: %s (%s: %s)", what, class_name[site->class], site->file, site->lock);
    if (outer)
        snprintf(text + n, sizeof(text) - (size_t)n, " inside %s (%s: %s); docs/locks.md has the order",
                 class_name[outer->class], outer->file, outer->lock);
    lock_order_failed(text);
}

/* Returns whether `file` is the one that the pattern names, which may end in '*'. */
static int is_file(const char *file, const char *pattern)
{
    size_t n = strcspn(pattern, "*");
    return pattern[n] ? !strncmp(file, pattern, n) : !strcmp(file, pattern);
}

/* Find the class of a place, at its first use. Returns false if it is none of the kernel's. */
static int has_class(struct lock_site *site)
{
    const char *file = NULL;
    for (const char *p = site->file; (p = strstr(p, "kernel/")); p++)
        file = p + strlen("kernel/");
    if (!file)
        return 0;
    for (unsigned i = 0; !site->class && place[i].file; i++)
        if (is_file(file, place[i].file) && !strcmp(site->lock, place[i].lock))
            site->class = place[i].class;
    if (!site->class)
        fail("a lock without a class in docs/locks.md", site, NULL);
    return site->class;
}

static void record(void)
{
    FILE *f = fopen(getenv("LOCK_ORDER"), "a");
    for (unsigned i = 0; f && i < LOCK_CLASSES; i++)
        for (unsigned j = 0; j < LOCK_CLASSES; j++)
            if (seen[i][j])
                fprintf(f, "%s > %s\n", class_name[i], class_name[j]);
    if (f)
        fclose(f);
}

static void note(int outer, int inner)
{
    static int recording;
    if (!recording && getenv("LOCK_ORDER"))
        atexit(record);
    recording = 1;
    seen[outer][inner] = 1;
}

void lock_order_took(const void *lock, struct lock_site *site, const void *core)
{
    if (!site->class && !has_class(site))
        return;
    if (n_held == MOST)
        fail("too many locks are held", site, NULL);
    else
        held[n_held++] = (struct held){ lock, core, site };
}

void lock_order_take(const void *lock, struct lock_site *site, const void *core, bool irqs_on)
{
    if (host_at_lock)
        host_at_lock(lock);
    if (!site->class && !has_class(site))
        return;
    if (irqs_on)
        fail("a lock is taken with interrupts on", site, NULL);
    for (unsigned i = 0; i < n_held; i++) {
        if (held[i].core != core)
            continue;
        const struct lock_site *outer = held[i].site;
        if (held[i].lock == lock)
            fail("a lock is taken twice", site, outer);
        else if (!(inside[outer->class] >> site->class & 1))
            fail("a lock is taken", site, outer);
        note(outer->class, site->class);
    }
    lock_order_took(lock, site, core);
}

void lock_order_release(const void *lock)
{
    for (unsigned i = n_held; i-- > 0;)
        if (held[i].lock == lock) {
            memmove(&held[i], &held[i + 1], (--n_held - i) * sizeof(held[0]));
            return;
        }
}

void lock_order_switch(const void *core)
{
    for (unsigned i = 0; i < n_held; i++)
        if (held[i].core == core && held[i].site->class != LOCK_RUN_QUEUE)
            fail("a thread sleeps that holds a lock", held[i].site, NULL);
}

void lock_order_forget(void) { n_held = 0; }
