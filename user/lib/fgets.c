/* SPDX-License-Identifier: MIT */
/* fgets.c - replaces picolibc 1.7.9's, which loses a file's last line if no newline ends it (C17, 7.21.7.2). */
#include <stdio.h>

char *fgets(char *restrict to, int size, FILE *restrict stream)
{
    int n = 0, c = 0;
    while (c != '\n' && n + 1 < size && (c = getc(stream)) != EOF)
        to[n++] = (char)c;
    if (size <= 0 || (c == EOF && (!n || ferror(stream))))
        return NULL;
    to[n] = '\0';
    return to;
}
