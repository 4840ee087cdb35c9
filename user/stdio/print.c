/* SPDX-License-Identifier: MIT */
/* print.c - the printf() of a stream as one call. */
#include "format.h"
#include "stream.h"

int vfprintf(FILE *restrict f, const char *restrict format, va_list arguments)
{
    stream_lock(f);
    int n = stream_format(f, format, arguments);
    stream_unlock(f);
    return n;
}
