/* SPDX-License-Identifier: MIT */
/* dprintf.c - vdprintf() and dprintf(): printf() to a file by its number. */
#include <string.h>

#include "format.h"
#include "stream.h"

int vdprintf(int number, const char *restrict format, va_list arguments)
{
    char buffer[128];
    struct stream s;
    memset(&s, 0, sizeof s);
    stream_on_file(&s, number, __SWR, buffer, sizeof buffer);
    s.by_line = false;
    s.file.flags &= (uint8_t)~STREAM; /* no other thread knows it */
    int n = stream_format(&s.file, format, arguments);
    return stream_flush(&s.file) ? EOF : n;
}

int dprintf(int number, const char *restrict format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vdprintf(number, format, arguments);
    va_end(arguments);
    return n;
}
