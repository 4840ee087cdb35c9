/* SPDX-License-Identifier: MIT */
/* mktemp.c - mkstemp() and its kind, in place of picolibc's, which change the template when they fail. Files are to
 * read only, so that none is made; mktemp() gives names for other things. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLACE   "XXXXXX"
#define PLACE_N 6
#define LETTERS 26

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

static void write_number(char *place, uint32_t number)
{
    for (unsigned i = PLACE_N; i--; number /= LETTERS)
        place[i] = (char)('a' + number % LETTERS);
}

/* Write a name that no file has, and no call before has given. */
char *mktemp(char *template)
{
    static uint32_t given;
    if (!has_place(template, 0)) {
        *template = 0;
        return template;
    }
    do {
        uint32_t number = __atomic_fetch_add(&given, 1, __ATOMIC_RELAXED);
        write_number(template + strlen(template) - PLACE_N, number);
    } while (access(template, F_OK) == 0);
    return template;
}
