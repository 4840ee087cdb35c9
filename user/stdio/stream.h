/* SPDX-License-Identifier: MIT */
/*
 * stream.h - a stream (FILE) of a process: picolibc's record in front, with a lock of its own.
 *
 * picolibc's stdio calls take no lock, so this folder has calls of its own, which the linker finds first. Each of them
 * holds the stream's recursive lock from its begin to its end (POSIX 2.14, flockfile()). They reach the stream by the
 * functions `put`, `get` and `flush` of picolibc's record, which are called with the lock held. Other FILEs, such as
 * those of snprintf() or of a program's FDEV_SETUP_STREAM(), lack the flag STREAM and have no lock.
 */
#ifndef AMALGAM_USER_STREAM_H
#define AMALGAM_USER_STREAM_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/lock.h>
#include <sys/types.h>

#include "../lib/lock.h"

#define STREAM                                                                                                         \
    0x80 /* in FILE.flags, where picolibc uses 0x01 to 0x40: the FILE is the first member of a struct stream */

struct stream;

/* What a buffered stream is on. Each function sets errno and returns -1 if it fails. */
struct stream_device {
    ssize_t (*read)(struct stream *s, char *to, size_t n);
    ssize_t (*write)(struct stream *s, const char *from, size_t n);
    off_t (*seek)(struct stream *s, off_t to, int whence);
    int (*close)(struct stream *s);
};

enum stream_state { STREAM_IDLE, STREAM_READS, STREAM_WRITES };

struct stream {
    FILE file;
    struct __lock lock;
    int number;                         /* of its file; -1: none */
    const struct stream_device *device; /* NULL: the console (console.c), which has no buffer here */
    enum stream_state state;            /* what the buffer holds */
    bool by_line;                       /* write out at each newline */
    bool fixed;                         /* not allocated: fclose() does not free it */
    char single;                        /* the buffer of a stream without one */
    char *buffer;
    size_t size;
    size_t at;           /* bytes of the buffer that were read or are to be written */
    size_t end;          /* bytes that are in the buffer, while the stream reads */
    struct stream *next; /* in the list of open streams (list.c) */
    struct stream *dead; /* in the list of closed streams that are still to be freed */
};

static inline struct stream *stream_of(FILE *f) { return f->flags & STREAM ? (struct stream *)f : NULL; }

static inline void stream_lock(FILE *f)
{
    if (f->flags & STREAM)
        __lock_acquire_recursive(&((struct stream *)f)->lock);
}

static inline void stream_unlock(FILE *f)
{
    if (f->flags & STREAM)
        __lock_release_recursive(&((struct stream *)f)->lock);
}

/* stream.c: the functions below need the stream's lock. */

/* Make `s` a stream with a buffer. `flags`: __SRD, __SWR. */
void stream_make(struct stream *s, const struct stream_device *device, int number, uint8_t flags, char *buffer,
                 size_t size);
/* Write out what is to be written; give back to the file what was read ahead. Returns 0, or EOF with errno. */
int stream_flush(FILE *f);
/* Empty the buffer, so that the next call may read or write. Returns 0, or EOF if bytes could not be written. */
int stream_stop(struct stream *s);
/* Returns how many bytes have been taken from the file and not been read by the program. */
off_t stream_ahead(const struct stream *s);

/* open.c: turn fopen()'s mode into open()'s flags and, as the result, those of FILE. Returns 0 with EINVAL if it is
 * none. */
uint8_t stream_mode(const char *mode, int *open_flags);
/* Make `s` a stream on an open file. */
void stream_on_file(struct stream *s, int number, uint8_t flags, char *buffer, size_t size);

/* list.c: a new stream, and one that is closed. stream_remove() frees it as soon as no fflush(NULL) looks at it. */
void stream_add(struct stream *s);
void stream_remove(struct stream *s);
/* flush.c: writes out what all open streams hold; NULL while no stream has been opened. Returns 0 or EOF. */
extern int (*streams_write)(void);

#endif
