/* SPDX-License-Identifier: MIT */
/* ulibc.c - the functions of ulibc, by those of the C library. */
#include <nanvix/sys/dev.h>
#include <nanvix/sys/thread.h>
#include <nanvix/ulib.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "nanvix.h"

#define LINE 512 /* bytes of a line at most */

void *umalloc(size_t size) { return malloc(size); }
void *ucalloc(unsigned int number, size_t size) { return calloc(number, size); }
void *urealloc(void *memory, size_t size) { return realloc(memory, size); }
void ufree(void *memory) { free(memory); }

int usnprintf(char *to, size_t n, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = nanvix_vsnprintf(to, n, format, arguments);
    va_end(arguments);
    return length;
}

int uprintf(const char *format, ...)
{
    char line[LINE + 1];
    va_list arguments;
    va_start(arguments, format);
    int length = nanvix_vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0)
        return nanvix_answer(-EINVAL);
    return (int)nanvix_write(1, line, length < LINE ? (size_t)length : LINE);
}

void uabort(void) { __builtin_trap(); }

void _uassertfail(const char *format, const char *condition, const char *file, int line)
{
    char text[LINE + 1];
    int length = snprintf(text, sizeof text, format, condition, file, line);
    if (length >= 0)
        nanvix_write(1, text, length < LINE ? (size_t)length : LINE);
    uabort();
}

#define FACTOR 1103515245u /* from ISO C's example of rand() */
#define ADDEND 12345u

static unsigned state = 1;

int urand_r(unsigned *at)
{
    *at = *at * FACTOR + ADDEND;
    return (int)(*at >> 16 & 0x7fff);
}

void usrand(unsigned seed) { state = seed; }
int urand(void) { return urand_r(&state); }

void *__nanvix_sbrk(size_t size) { return sbrk((ptrdiff_t)size); }
void ___nanvix_exit(int status) { exit(status); }
ssize_t __nanvix_write(int fd, const void *text, size_t n) { return nanvix_write(fd, text, n); }
