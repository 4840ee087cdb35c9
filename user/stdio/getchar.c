/* SPDX-License-Identifier: MIT */
/* getchar.c - input by characters from stdin. */
#include <stdio.h>

int getchar(void) { return fgetc(stdin); }
int getchar_unlocked(void) { return getc_unlocked(stdin); }
