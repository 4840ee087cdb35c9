/* SPDX-License-Identifier: MIT */
/*
 * atexit.c - the functions that exit() calls, in place of picolibc's: atexit(), on_exit(), __cxa_atexit() of C++'s
 * statics, and __call_exitprocs(), by which picolibc's exit() calls them. picolibc 1.7.9 has room for 32; here memory
 * is the only end. The last one that was registered is called first, also if another one registers it meanwhile.
 */
#include <stddef.h>

#include "lock.h"
#include "memory.h"
#include "thread.h"

#define FIRST 32 /* functions for which there is always room (C17, 7.22.4.2) */

enum kind { PLAIN, WITH_STATUS, WITH_ARGUMENT };

struct entry {
    enum kind kind;
    void (*function)(void);
    void *argument;
};

struct block {
    struct block *before;
    size_t n, room;
    struct entry entry[];
};

static struct {
    struct block block;
    struct entry entry[FIRST];
} first = { .block = { .room = FIRST } };
static struct block *last = &first.block;
static uint32_t lock;

static uint32_t exit_lock; /* the thread that ends the process has it */
static struct amalgam_thread *exiting;

int atexit(void (*function)(void));
int on_exit(void (*function)(int, void *), void *argument);
int __cxa_atexit(void (*function)(void *), void *argument, void *object);
void __call_exitprocs(int status, void *unused);

/* Returns the block with room for one more, or NULL. Under the lock. */
static struct block *with_room(void)
{
    if (last->n < last->room)
        return last;
    int64_t at = memory_map(NULL, PAGE, AMALGAM_MAP_WRITE);
    if (at < 0)
        return NULL;
    struct block *b = (struct block *)(uintptr_t)at;
    *b = (struct block){ last, 0, (PAGE - sizeof(*b)) / sizeof(struct entry) };
    last = b;
    return b;
}

static int add(enum kind kind, void (*function)(void), void *argument)
{
    lock_take(&lock);
    struct block *b = with_room();
    if (b)
        b->entry[b->n++] = (struct entry){ kind, function, argument };
    lock_drop(&lock);
    return b ? 0 : -1;
}

int atexit(void (*function)(void)) { return add(PLAIN, function, NULL); }

int on_exit(void (*function)(int, void *), void *argument)
{
    return add(WITH_STATUS, (void (*)(void))(void *)function, argument);
}

/* The program is the only object whose statics are destroyed. */
int __cxa_atexit(void (*function)(void *), void *argument, void *object)
{
    (void)object;
    return add(WITH_ARGUMENT, (void (*)(void))(void *)function, argument);
}

/* Returns the last function, which is no longer registered; one that is NULL if there is none. */
static struct entry take(void)
{
    struct entry taken = { 0 };
    lock_take(&lock);
    while (last->before && !last->n) /* the block's page stays mapped, because the process ends */
        last = last->before;
    if (last->n)
        taken = last->entry[--last->n];
    lock_drop(&lock);
    return taken;
}

static void call(const struct entry *e, int status)
{
    if (e->kind == PLAIN)
        e->function();
    else if (e->kind == WITH_STATUS)
        ((void (*)(int, void *))(void *)e->function)(status, e->argument);
    else
        ((void (*)(void *))(void *)e->function)(e->argument);
}

/* Another thread that calls exit() meanwhile waits for the process's end. */
void __call_exitprocs(int status, void *unused)
{
    (void)unused;
    if (__atomic_load_n(&exiting, __ATOMIC_RELAXED) != thread_self()) {
        lock_take(&exit_lock);
        __atomic_store_n(&exiting, thread_self(), __ATOMIC_RELAXED);
    }
    for (struct entry e; (e = take()).function;)
        call(&e, status);
}
