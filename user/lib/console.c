/* SPDX-License-Identifier: MIT */
/*
 * console.c - stdin, stdout and stderr.
 *
 * A thread's output is kept in its own record until its line ends, the line is full, or the thread calls fflush() or
 * exits; then it is written by one system call. So lines of two threads never mix, and printing takes no lock. stdout
 * and stderr share the line, so their order is kept. stdin is always at its end.
 */
#include <stdio.h>

#include "lock.h"
#include "thread.h"

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

static int flush_line(struct amalgam_thread *self)
{
    size_t n = self->line_length;
    if (!n)
        return 0;
    self->line_length = 0;
    return write_all(self->line, n) ? 0 : EOF;
}

static int put(char c, FILE *file)
{
    struct amalgam_thread *self = thread_self();
    (void)file;
    self->line[self->line_length++] = c;
    if ((c == '\n' || self->line_length == LINE_SIZE) && flush_line(self) < 0)
        return EOF;
    return (unsigned char)c;
}

static int flush(FILE *file)
{
    (void)file;
    return flush_line(thread_self());
}

static int get(FILE *file)
{
    (void)file;
    return _FDEV_EOF;
}

void console_flush(void) { flush_line(thread_self()); }

static FILE in = FDEV_SETUP_STREAM(NULL, get, NULL, _FDEV_SETUP_READ);
static FILE out = FDEV_SETUP_STREAM(put, NULL, flush, _FDEV_SETUP_WRITE);
static FILE error = FDEV_SETUP_STREAM(put, NULL, flush, _FDEV_SETUP_WRITE);
FILE *const stdin = &in;
FILE *const stdout = &out;
FILE *const stderr = &error;
