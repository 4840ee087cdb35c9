/* SPDX-License-Identifier: MIT */
/*
 * patterns.c - replaces a word with `*` or `?` by the names of files that it describes, in order: any text, and one
 * character, of one name of a path. A name that begins with a dot is described by a dot only. The word stays if there
 * is no such file.
 */
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "shell.h"

#define PATH_MOST 1024

struct paths {
    char path[PATH_MOST]; /* what was followed so far */
    struct names found;
    bool full; /* no memory */
};

static bool matches(const char *pattern, size_t n, const char *name)
{
    const char *end = pattern + n, *star = NULL, *from = name;
    if (*name == '.' && *pattern != '.')
        return false;
    while (*name) {
        if (pattern < end && *pattern == ANY_TEXT) {
            star = ++pattern; /* it takes nothing at first, then more and more */
            from = name;
        } else if (pattern < end && (*pattern == ANY_CHARACTER || *pattern == *name)) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star;
            name = ++from;
        } else {
            return false;
        }
    }
    while (pattern < end && *pattern == ANY_TEXT)
        pattern++;
    return pattern == end;
}

static bool append(struct paths *p, const char *text, size_t n)
{
    size_t used = strlen(p->path);
    if (used + n >= PATH_MOST)
        return false;
    memcpy(p->path + used, text, n);
    p->path[used + n] = '\0';
    return true;
}

static void follow(struct paths *p, const char *rest);

/* Follow each name that the first one of `rest` describes, which has n characters. */
static void follow_each(struct paths *p, const char *rest, size_t n)
{
    size_t used = strlen(p->path);
    DIR *d = opendir(used ? p->path : ".");
    for (struct dirent *e; d && (e = readdir(d)); p->path[used] = '\0')
        if (matches(rest, n, e->d_name) && append(p, e->d_name, strlen(e->d_name)))
            follow(p, rest + n);
    if (d)
        closedir(d);
}

static void follow(struct paths *p, const char *rest)
{
    size_t used = strlen(p->path), n;
    struct stat s;
    while (*rest) {
        n = *rest == '/' ? strspn(rest, "/") : strcspn(rest, "/");
        if (has_pattern(rest, n)) {
            follow_each(p, rest, n);
            break;
        }
        if (!append(p, rest, n))
            break;
        rest += n;
    }
    if (!*rest && !stat(p->path, &s))
        p->full |= !names_add(&p->found, p->path);
    p->path[used] = '\0';
}

bool has_pattern(const char *text, size_t n) { return memchr(text, ANY_TEXT, n) || memchr(text, ANY_CHARACTER, n); }

struct names find_paths(const char *pattern)
{
    struct paths p = { 0 };
    follow(&p, pattern);
    if (p.full)
        names_free(&p.found);
    names_sort(&p.found);
    return p.found;
}
