/* SPDX-License-Identifier: MIT */
/* mktemp.c - mkstemp() and its kind, in place of picolibc's, which change the template when they fail. Files are to
 * read only, so that no file is made. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PLACE   "XXXXXX"
#define PLACE_N 6

/* Returns whether the template has the place for a name before its last `suffix` characters. */
static bool has_place(const char *template, int suffix)
{
    size_t n = strlen(template), behind = (size_t)suffix + PLACE_N;
    bool has = suffix >= 0 && n >= behind && !strncmp(template + n - behind, PLACE, PLACE_N);
    if (!has)
        errno = EINVAL;
    return has;
}

int mkstemps(char *template, int suffix)
{
    return has_place(template, suffix) ? open(template, O_RDWR | O_CREAT | O_EXCL, 0600) : -1;
}

int mkstemp(char *template) { return mkstemps(template, 0); }

/* Returns the template, empty: there is no name that a file could be made by. */
char *mktemp(char *template)
{
    if (has_place(template, 0))
        errno = EROFS;
    *template = 0;
    return template;
}
