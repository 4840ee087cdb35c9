/* SPDX-License-Identifier: MIT */
/* say.h - what a program prints, for its test to read: `#define printf say` before its sources. SAID is its room. */
#ifndef AMALGAM_TESTS_SAY_H
#define AMALGAM_TESTS_SAY_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char said[SAID];
static void say(const char *format, ...)
{
    va_list arguments;
    size_t n = strlen(said);
    va_start(arguments, format);
    vsnprintf(said + n, sizeof(said) - n, format, arguments);
    va_end(arguments);
}

#endif
