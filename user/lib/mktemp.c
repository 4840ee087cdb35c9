/* SPDX-License-Identifier: MIT */
/* mktemp.c - mkstemp() and its kind, in place of picolibc's, which change the template when they fail. Nobody else sees
 * the process's files, so that names are counted. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Try names until `make` has made something or has failed otherwise. Returns what it returns; then the template is as
 * it was. */
static int try_names(char *template, int suffix, int (*make)(const char *name))
{
    static const char digit[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    static uint32_t names;
    if (!has_place(template, suffix))
        return -1;
    char *place = template + strlen(template) - suffix - PLACE_N;
    int error = errno, result;
    do {
        uint32_t number = __atomic_fetch_add(&names, 1, __ATOMIC_RELAXED);
        for (unsigned i = 0; i < PLACE_N; i++, number /= sizeof digit - 1)
            place[i] = digit[number % (sizeof digit - 1)];
    } while ((result = make(template)) < 0 && errno == EEXIST);
    if (result < 0)
        memcpy(place, PLACE, PLACE_N);
    else
        errno = error;
    return result;
}

static int make_file(const char *name) { return open(name, O_RDWR | O_CREAT | O_EXCL, 0600); }
static int make_folder(const char *name) { return mkdir(name, 0700); }

/* Returns 0 if nothing has the name. */
static int make_nothing(const char *name)
{
    if (access(name, F_OK))
        return errno == ENOENT ? 0 : -1;
    errno = EEXIST;
    return -1;
}

int mkstemps(char *template, int suffix) { return try_names(template, suffix, make_file); }
int mkstemp(char *template) { return try_names(template, 0, make_file); }
char *mkdtemp(char *template) { return try_names(template, 0, make_folder) < 0 ? NULL : template; }

/* Returns the template; empty: there is no such name. */
char *mktemp(char *template)
{
    if (try_names(template, 0, make_nothing) < 0)
        *template = 0;
    return template;
}
