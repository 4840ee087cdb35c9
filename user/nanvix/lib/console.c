/* SPDX-License-Identifier: MIT */
/* console.c - prints lines of text. An unfinished line that the thread printed by stdio is put before them. */
#include <nanvix/sys/dev.h>
#include <stdio.h>
#include <string.h>

#include "../../lib/thread.h"
#include "nanvix.h"

#define WRITE_MAX 512 /* bytes, the limit of Nanvix' kernel */

long nanvix_console_line(int fd, const char *text, size_t n)
{
    char line[WRITE_MAX + 1];
    if (fd < 0 || !text || n > WRITE_MAX)
        return -EINVAL;
    if (n && (!nanvix_is_readable(text) ||
              !nanvix_is_readable(text + n - 1))) /* two bytes are enough, because it lies in at most two pages */
        return -EFAULT;
    memcpy(line, text, n);
    size_t left = n;
    if (!n || line[n - 1] != '\n')
        line[left++] = '\n';
    console_flush();
    if (__atomic_load_n(&console_moved, __ATOMIC_ACQUIRE) >> 1 & 1) /* piped to who has started the program */
        return fwrite(line, 1, left, stdout) == left && !fflush(stdout) ? (long)n : -EIO;
    for (const char *at = line; left;) {
        int64_t taken = amalgam_console_write(at, left);
        if (taken < 0)
            return nanvix_result(taken);
        if (!taken)
            amalgam_yield();
        at += taken;
        left -= (size_t)taken;
    }
    return (long)n;
}

ssize_t nanvix_write(int fd, const char *text, size_t n)
{
    long result = nanvix_console_line(fd, text, n);
    return result < 0 ? nanvix_answer((int)result) : (ssize_t)result;
}

static void print(const char *format, va_list arguments)
{
    char line[KBUFFER_SIZE + 1];
    int n = nanvix_vsnprintf(line, sizeof line, format, arguments);
    if (n >= 0)
        nanvix_console_line(1, line, n < KBUFFER_SIZE ? (size_t)n : KBUFFER_SIZE);
}

void kprintf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print(format, arguments);
    va_end(arguments);
}

void kpanic(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print(format, arguments);
    va_end(arguments);
    __builtin_trap();
}

void _kassert(int condition, const char *message, const char *file, int line)
{
    if (!condition)
        kpanic("%s, file %s, line %d", message, file, line);
}
