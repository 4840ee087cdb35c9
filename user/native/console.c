/* SPDX-License-Identifier: MIT */
/* console.c - stdout and stderr: one line for each thread, which is written when it ends, is full, or by fflush().
 * stdin is always at its end. */
#include "console.h"

#include <stdio.h>

#include "runtime.h"

#define LINE 120

static NATIVE_OWN char line[LINE];
static NATIVE_OWN unsigned n;

void console_flush(void)
{
    if (n)
        NATIVE_CALLS->write(line, n);
    n = 0;
}

static int put(char c, FILE *file)
{
    (void)file;
    line[n++] = c;
    if (c == '\n' || n == LINE)
        console_flush();
    return (unsigned char)c;
}

static int flush(FILE *file)
{
    (void)file;
    console_flush();
    return 0;
}

static int get(FILE *file)
{
    (void)file;
    return _FDEV_EOF;
}

static FILE in = FDEV_SETUP_STREAM(NULL, get, NULL, _FDEV_SETUP_READ);
static FILE out = FDEV_SETUP_STREAM(put, NULL, flush, _FDEV_SETUP_WRITE);
FILE *const stdin = &in;
FILE *const stdout = &out;
FILE *const stderr = &out;
