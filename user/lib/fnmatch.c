/* SPDX-License-Identifier: MIT */
/*
 * fnmatch.c - fnmatch(), in place of picolibc's, which knows no classes ([:alpha:]). A star is tried with ever longer
 * text; only the last one, because what an earlier one could match more the last one can, too. So the time is at most
 * the product of both lengths.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <string.h>
#include <wctype.h>

#define MOST_CLASS 15 /* characters of a class's name */

static int fold(int c, int flags) { return flags & FNM_CASEFOLD ? tolower(c) : c; }

/* `at` is behind "[:" or "[." or "[=". Returns the closing one, or NULL. */
static const char *find_end(const char *at, char kind)
{
    for (; *at; at++)
        if (at[0] == kind && at[1] == ']')
            return at;
    return NULL;
}

static bool is_in_class(int c, const char *name, size_t n)
{
    char text[MOST_CLASS + 1] = { 0 };
    if (n > MOST_CLASS)
        return false;
    memcpy(text, name, n);
    return iswctype((wint_t)c, wctype(text));
}

/* Read one end of a range, at `*at`, and go behind it. A backslash is itself there. */
static int read_one(const char **at)
{
    const char *p = *at;
    if (p[0] == '[' && (p[1] == '.' || p[1] == '=') && p[2] && find_end(p + 2, p[1]) == p + 3) {
        *at = p + 5;
        return (unsigned char)p[2];
    }
    *at = p + 1;
    return (unsigned char)*p;
}

/* `p` is behind a '['. Returns what is behind its ']' with whether it has `c`, or NULL: the '[' stands for itself. */
static const char *match_bracket(const char *p, int c, int flags, bool *has)
{
    bool negated = *p == '!' || *p == '^', found = false;
    p += negated;
    for (const char *first = p; *p && (*p != ']' || p == first);) {
        if (p[0] == '[' && p[1] == ':') {
            const char *end = find_end(p + 2, ':');
            if (!end)
                return NULL;
            found |= is_in_class(c, p + 2, (size_t)(end - p - 2));
            p = end + 2;
            continue;
        }
        int low = read_one(&p), high = low;
        if (p[0] == '-' && p[1] && p[1] != ']') {
            p++;
            high = read_one(&p);
        }
        found |= (low <= c && c <= high) || (fold(low, flags) <= fold(c, flags) && fold(c, flags) <= fold(high, flags));
    }
    *has = found != negated && !(c == '/' && flags & FNM_PATHNAME);
    return *p == ']' ? p + 1 : NULL;
}

/* Match one character of the text. Returns the pattern behind what has matched, or NULL. */
static const char *match_one(const char *p, const char *text, bool leading, int flags)
{
    int c = (unsigned char)*text;
    bool hidden = leading && c == '.' && flags & FNM_PERIOD, has;
    if (*p == '?')
        return !hidden && !(c == '/' && flags & FNM_PATHNAME) ? p + 1 : NULL;
    if (*p == '[') {
        const char *behind = match_bracket(p + 1, c, flags, &has);
        if (behind)
            return has && !hidden ? behind : NULL;
    }
    if (*p == '\\' && !(flags & FNM_NOESCAPE) && p[1])
        p++;
    return *p && fold((unsigned char)*p, flags) == fold(c, flags) ? p + 1 : NULL;
}

int fnmatch(const char *p, const char *text, int flags)
{
    const char *begin = text, *star = NULL, *star_text = NULL; /* behind the last star, and what it may match next */
    for (;;) {
        bool leading = text == begin || (flags & FNM_PATHNAME && text[-1] == '/');
        if (*p == '*' && !(leading && *text == '.' && flags & FNM_PERIOD)) {
            star = ++p;
            star_text = text;
            continue;
        }
        if (!*p && (!*text || (*text == '/' && flags & FNM_LEADING_DIR)))
            return 0;
        const char *behind = *text && *p != '*' ? match_one(p, text, leading, flags) : NULL;
        if (behind) {
            p = behind;
            text++;
            continue;
        }
        if (!star || !*star_text || (*star_text == '/' && flags & FNM_PATHNAME))
            return FNM_NOMATCH;
        p = star;
        text = ++star_text;
    }
}
