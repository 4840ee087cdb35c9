/* SPDX-License-Identifier: MIT */
/*
 * affinity.c - where threads run, as text: omp_display_affinity() and its like (OpenMP 5.0, 3.2.30 to 3.2.33 and 6.14).
 * A field of a format is `%`, then `0` for leading zeros, `.` for the right side, a width, and a letter or a name in
 * braces. A thread is bound to its core.
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "openmp.h"

#define FORMAT 128 /* bytes that a format may have */
#define LINE   256 /* bytes that are displayed */

enum { UNKNOWN = -1 };

struct text {
    char *at;
    size_t size, used; /* `used` counts also what had no room */
};

static char format_of_all[FORMAT] = "thread %n of %N on core %i"; /* guarded by the lock below */

static volatile u32 *lock(void) { return &omp_self.words->hashed[0].word; }

static void put(struct text *t, char c)
{
    if (t->used + 1 < t->size)
        t->at[t->used] = c;
    t->used++;
}

/* Returns the letter of a field's name of `length` bytes, or 0. */
static char letter_of(const char *name, size_t length)
{
    static const char *const names[] = { "tteam_num",         "Tnum_teams",      "Lnesting_level", "nthread_num",
                                         "Nnum_threads",      "aancestor_tnum",  "Hhost",          "Pprocess_id",
                                         "inative_thread_id", "Athread_affinity" };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strlen(names[i] + 1) == length && !memcmp(names[i] + 1, name, length))
            return names[i][0];
    return 0;
}

static int value_of(char letter)
{
    switch (letter) {
    case 't': return omp_get_team_num();
    case 'T': return omp_get_num_teams();
    case 'L': return omp_get_level();
    case 'n': return omp_get_thread_num();
    case 'N': return omp_get_num_threads();
    case 'a': return omp_get_level() ? omp_get_ancestor_thread_num(omp_get_level() - 1) : 0;
    case 'P': return 0; /* there are no processes */
    case 'i':
    case 'A': return (int)omp_self.calls->core;
    default: return UNKNOWN;
    }
}

static void put_field(struct text *t, char letter, size_t width, bool right, char fill)
{
    char text[16];
    int value = value_of(letter);
    if (value == UNKNOWN)
        strcpy(text, letter == 'H' ? "scc" : "undefined");
    else
        snprintf(text, sizeof(text), "%d", value);
    size_t length = strlen(text), more = width > length ? width - length : 0;
    for (size_t i = 0; right && i < more; i++)
        put(t, value == UNKNOWN ? ' ' : fill);
    for (size_t i = 0; i < length; i++)
        put(t, text[i]);
    for (size_t i = 0; !right && i < more; i++)
        put(t, ' ');
}

/* Write the field behind a `%`. Returns what is behind it. */
static const char *field(struct text *t, const char *f)
{
    bool zero = *f == '0', right = f[zero] == '.';
    size_t width = 0;
    f += zero + right;
    for (; *f >= '0' && *f <= '9'; f++)
        width = width < LINE ? width * 10 + (size_t)(*f - '0') : LINE;
    const char *end = *f == '{' ? strchr(f, '}') : NULL;
    char letter = end ? letter_of(f + 1, (size_t)(end - f - 1)) : *f;
    put_field(t, letter, width < LINE ? width : LINE, right || zero, zero ? '0' : ' ');
    return end ? end + 1 : f + (*f != 0);
}

/* Returns the number of bytes that the text has, without its end. */
static size_t write_text(char *at, size_t size, const char *format)
{
    struct text t = { at, size, 0 };
    char own[FORMAT];
    if (!format || !*format) {
        omp_get_affinity_format(own, sizeof(own));
        format = own;
    }
    while (*format) {
        if (*format != '%' || format[1] == '%') {
            put(&t, *format);
            format += 1 + (*format == '%');
        } else {
            format = field(&t, format + 1);
        }
    }
    if (size)
        at[t.used < size ? t.used : size - 1] = 0;
    return t.used;
}

void omp_set_affinity_format(const char *format)
{
    omp_take(lock());
    strlcpy(format_of_all, format, sizeof(format_of_all));
    omp_drop(lock());
}

size_t omp_get_affinity_format(char *at, size_t size)
{
    omp_take(lock());
    size_t length = strlen(format_of_all);
    if (size)
        strlcpy(at, format_of_all, size);
    omp_drop(lock());
    return length;
}

size_t omp_capture_affinity(char *at, size_t size, const char *format) { return write_text(at, size, format); }

void omp_display_affinity(const char *format)
{
    char line[LINE];
    write_text(line, sizeof(line), format);
    printf("%s\n", line);
}
