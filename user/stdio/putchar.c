/* SPDX-License-Identifier: MIT */
/* putchar.c - output by characters to stdout. */
#include <stdio.h>

int putchar(int c) { return fputc(c, stdout); }
int putchar_unlocked(int c) { return putc_unlocked(c, stdout); }
