/* SPDX-License-Identifier: MIT */
/* err.c - err.h: messages with the program's name. */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stream.h"

extern const char *program_name; /* start.c */

static void message(const char *format, va_list arguments, const char *why)
{
    stream_lock(stderr);
    fputs(program_name, stderr);
    fputs(": ", stderr);
    if (format)
        vfprintf(stderr, format, arguments);
    if (why) {
        fputs(format ? ": " : "", stderr);
        fputs(why, stderr);
    }
    putc_unlocked('\n', stderr);
    stream_unlock(stderr);
}

void vwarn(const char *format, va_list arguments) { message(format, arguments, strerror(errno)); }
void vwarnx(const char *format, va_list arguments) { message(format, arguments, NULL); }

void verr(int status, const char *format, va_list arguments)
{
    vwarn(format, arguments);
    exit(status);
}

void verrx(int status, const char *format, va_list arguments)
{
    vwarnx(format, arguments);
    exit(status);
}

void warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vwarn(format, arguments);
    va_end(arguments);
}

void warnx(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vwarnx(format, arguments);
    va_end(arguments);
}

void err(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    verr(status, format, arguments);
}

void errx(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    verrx(status, format, arguments);
}
