/* SPDX-License-Identifier: MIT */
/* stdio.c - vfprintf() and fflush() of native programs, whose only streams are the console's: a thread's line is its
 * own, so they take no lock. user/stdio converts. */
#include "../stdio/format.h"

int vfprintf(FILE *restrict f, const char *restrict format, va_list arguments)
{
    return stream_format(f, format, arguments);
}

int fflush(FILE *f)
{
    if (!f)
        f = stdout;
    return f->flush ? f->flush(f) : 0;
}
