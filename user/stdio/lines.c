/* SPDX-License-Identifier: MIT */
/* lines.c - fgets(), getdelim(), getline(): input by lines. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "stream.h"

char *fgets(char *restrict to, int size, FILE *restrict f)
{
    int n = 0, c = 0;
    stream_lock(f);
    while (c != '\n' && n + 1 < size && (c = getc_unlocked(f)) != EOF)
        to[n++] = (char)c;
    bool failed = size <= 0 || (c == EOF && (!n || f->flags & __SERR));
    stream_unlock(f);
    if (failed)
        return NULL;
    to[n] = '\0';
    return to;
}

/* Make room for two characters behind the first `n`. Returns whether there is. */
static bool have_room(char **line, size_t *size, size_t n)
{
    if (*line && n + 2 <= *size)
        return true;
    if (n > PTRDIFF_MAX / 2) {
        errno = EOVERFLOW;
        return false;
    }
    size_t larger = n < 60 ? 120 : n * 2;
    char *made = realloc(*line, larger);
    if (!made)
        return false;
    *line = made;
    *size = larger;
    return true;
}

ssize_t getdelim(char **restrict line, size_t *restrict size, int end, FILE *restrict f)
{
    size_t n = 0;
    int c = EOF;
    bool fails = !line || !size;
    if (fails)
        errno = EINVAL;
    stream_lock(f);
    while (!fails) {
        fails = !have_room(line, size, n);
        if (fails || (c = getc_unlocked(f)) == EOF)
            break;
        (*line)[n++] = (char)c;
        if (c == end)
            break;
    }
    if (fails)
        f->flags |= __SERR;
    stream_unlock(f);
    if (fails || (c == EOF && !n))
        return -1;
    (*line)[n] = '\0';
    return (ssize_t)n;
}

ssize_t getline(char **restrict line, size_t *restrict size, FILE *restrict f) { return getdelim(line, size, '\n', f); }
