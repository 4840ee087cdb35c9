/* SPDX-License-Identifier: MIT */
/*
 * list.c - the open streams, for fflush(NULL) and for the end of the process: exit() writes out what they hold.
 *
 * No lock of a stream is taken with the list's lock held, because a thread may close a stream whose lock it holds. A
 * walk over the list counts itself instead. While there is a walk no closed stream is freed, so that its `next` still
 * leads on; the last walk frees them.
 */
#include <stdlib.h>

#include "stream.h"

static uint32_t lock;
static struct stream *streams, *dead; /* open; closed while there was a walk */
static unsigned walks;

static void release(struct stream *s)
{
    if (!s->fixed)
        free(s);
}

void stream_remove(struct stream *s)
{
    lock_take(&lock);
    for (struct stream **at = &streams; *at; at = &(*at)->next)
        if (*at == s) {
            *at = s->next;
            break;
        }
    bool walked = walks != 0;
    if (walked) {
        s->dead = dead;
        dead = s;
    }
    lock_drop(&lock);
    if (!walked)
        release(s);
}

static struct stream *next_of(struct stream *s)
{
    lock_take(&lock);
    walks += s == NULL;
    struct stream *next = s ? s->next : streams;
    lock_drop(&lock);
    return next;
}

static void end_walk(void)
{
    lock_take(&lock);
    struct stream *gone = NULL;
    if (!--walks) {
        gone = dead;
        dead = NULL;
    }
    lock_drop(&lock);
    while (gone) {
        struct stream *next = gone->dead;
        release(gone);
        gone = next;
    }
}

/* Write out what open streams hold. One that reads is left alone, because a thread may wait in it for input. */
static int write_all(void)
{
    int result = 0;
    for (struct stream *s = next_of(NULL); s; s = next_of(s)) {
        if (__atomic_load_n(&s->state, __ATOMIC_RELAXED) != STREAM_WRITES)
            continue;
        stream_lock(&s->file);
        if (stream_flush(&s->file))
            result = EOF;
        stream_unlock(&s->file);
    }
    end_walk();
    return result;
}

void stream_add(struct stream *s)
{
    streams_write = write_all;
    lock_take(&lock);
    s->next = streams;
    streams = s;
    lock_drop(&lock);
}

/* After the functions of atexit() and all other destructors. */
__attribute__((destructor(101))) static void end(void) { write_all(); }
