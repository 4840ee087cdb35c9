/* SPDX-License-Identifier: MIT */
/*
 * console.c - stdin, stdout and stderr.
 *
 * A thread's output is kept in its own record until its line ends, the line is full, or the thread calls fflush() or
 * exits; then it is written by one system call. So lines of two threads never mix. stdout and stderr share the line, so
 * their order is kept. stdin is always at its end. All this ends for a stream whose number the program closes or gives
 * another file (console.h).
 *
 * A thread that prints puts its record into a list until it ends, so that exit() finds the unfinished lines of all
 * threads. Whoever takes a line's length, by an exchange with 0, writes it. exit() holds the streams and the list
 * meanwhile, so that no thread appends to its line, and no record is freed.
 */
#include "../stdio/stream.h"
#include "thread.h"

uint32_t console_moved;
void (*console_move)(struct stream *s);

static uint32_t printing_lock;
static struct amalgam_thread *printing; /* the threads that have printed */

/* Returns whether the console took all bytes. */
static bool write_all(const char *text, size_t n)
{
    while (n) {
        int64_t taken = amalgam_console_write(text, n);
        if (taken < 0)
            return false;
        if (taken == 0)
            amalgam_yield();
        text += taken;
        n -= (size_t)taken;
    }
    return true;
}

static int flush_line(struct amalgam_thread *t)
{
    size_t n = __atomic_exchange_n(&t->line_length, 0, __ATOMIC_ACQUIRE);
    return write_all(t->line, n) ? 0 : EOF;
}

static void begin_printing(struct amalgam_thread *self)
{
    self->prints = 1;
    lock_take(&printing_lock);
    self->next_printing = printing;
    printing = self;
    lock_drop(&printing_lock);
}

/* Returns whether the stream has left the console, and so has other functions by now. */
static bool has_left(FILE *file)
{
    struct stream *s = (struct stream *)file;
    if (__builtin_expect(!(__atomic_load_n(&console_moved, __ATOMIC_ACQUIRE) >> s->number & 1), 1))
        return false;
    console_move(s);
    return true;
}

static int put(char c, FILE *file)
{
    if (has_left(file))
        return file->put(c, file);
    struct amalgam_thread *self = thread_self();
    uint32_t n = self->line_length;
    if (!self->prints)
        begin_printing(self);
    self->line[n++] = c;
    __atomic_store_n(&self->line_length, n, __ATOMIC_RELEASE);
    if ((c == '\n' || n == LINE_SIZE) && flush_line(self) < 0)
        return EOF;
    return (unsigned char)c;
}

static int flush(FILE *file) { return has_left(file) ? file->flush(file) : flush_line(thread_self()); }

static int get(FILE *file) { return has_left(file) ? file->get(file) : _FDEV_EOF; }

void console_flush(void) { flush_line(thread_self()); }

void console_leave(void)
{
    struct amalgam_thread *self = thread_self();
    flush_line(self);
    if (!self->prints)
        return;
    lock_take(&printing_lock);
    struct amalgam_thread **at = &printing;
    while (*at != self)
        at = &(*at)->next_printing;
    *at = self->next_printing;
    lock_drop(&printing_lock);
    self->prints = 0;
}

#define CONSOLE(file_number, put, get, flush, flags)                                                                   \
    {                                                                                                                  \
        .file = FDEV_SETUP_STREAM(put, get, flush, (flags) | STREAM), .number = file_number, .fixed = true             \
    }
static struct stream in = CONSOLE(0, NULL, get, NULL, __SRD);
static struct stream out = CONSOLE(1, put, NULL, flush, __SWR);
static struct stream error = CONSOLE(2, put, NULL, flush, __SWR);
FILE *const stdin = &in.file;
FILE *const stdout = &out.file;
FILE *const stderr = &error.file;

/* At exit(), after the functions of atexit() and all other destructors: write the unfinished lines. */
__attribute__((destructor(101))) static void end_lines(void)
{
    flush_line(thread_self());
    stream_lock(stdout);
    stream_lock(stderr);
    lock_take(&printing_lock);
    for (struct amalgam_thread *t = printing; t; t = t->next_printing)
        flush_line(t);
    lock_drop(&printing_lock);
    stream_unlock(stderr);
    stream_unlock(stdout);
}
