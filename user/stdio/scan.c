/* SPDX-License-Identifier: MIT */
/* scan.c - the scanf() of a stream as one call; picolibc converts. */
#include "stream.h"

extern int __d_vfscanf(FILE *f, const char *format, va_list arguments);

int vfscanf(FILE *restrict f, const char *restrict format, va_list arguments)
{
    stream_lock(f);
    int n = __d_vfscanf(f, format, arguments);
    stream_unlock(f);
    return n;
}
