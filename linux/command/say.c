/* SPDX-License-Identifier: MIT */
/* say.c - prints errors and answers; parses options and numbers. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

#define UTF8_UPPER_CONTROL 0xc2         /* first byte of U+0080 to U+00BF */
#define SIZE_END           (1ull << 46) /* more than any machine has; a sum of sizes below it does not overflow */

bool json;
static char *errors; /* for --json: objects with commas between them */
static size_t errors_size;
static FILE *noted;

int say_done(void)
{
    if (json)
        puts("{\"already\": false}");
    return DONE;
}

int say_already(const char *text)
{
    if (json)
        puts("{\"already\": true}");
    else
        puts(text);
    return 0;
}

void say_answer(const char *text)
{
    if (!json) {
        fputs(text, stdout);
        return;
    }
    fputs("{\"answer\": \"", stdout);
    print_json_text(text);
    puts("\"}");
}

void say_waiting(const char *what)
{
    fprintf(stderr, "amalgam: waiting for another amalgam that %s; one that was stopped (Ctrl-Z) goes on by fg\n",
            what);
}

static void print_escaped(FILE *to, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fprintf(to, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            fprintf(to, "\\u%04x", *text);
        else
            fputc(*text, to);
    }
}

void print_json_text(const char *text) { print_escaped(stdout, text); }

/* Keep an error for say_errors(). Without memory for it, stderr alone has it. */
static void note_error(const char *next, const char *format, va_list args)
{
    char what[1024];
    vsnprintf(what, sizeof(what), format, args);
    if (!noted)
        noted = open_memstream(&errors, &errors_size);
    if (!noted)
        return;
    fputs(errors_size ? ", {\"error\": \"" : "{\"error\": \"", noted);
    print_escaped(noted, what);
    fputs("\", \"next\": \"", noted);
    print_escaped(noted, next ? next : "");
    fputs("\"}", noted);
    fflush(noted);
}

void say_errors(int status)
{
    if (json && status != DONE)
        printf("{\"status\": %d, \"errors\": [%s]}\n", status, errors ? errors : "");
}

static void say_error(const char *next, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    if (json)
        note_error(next, format, again);
    va_end(again);
    fflush(stdout);
    fprintf(stderr, "amalgam: error: ");
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    if (next && *next)
        fprintf(stderr, "  next: %s\n", next);
}

int fail(const char *next, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say_error(next, format, args);
    va_end(args);
    return FAILED;
}

int usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say_error("amalgam --help", format, args);
    va_end(args);
    return USAGE;
}

static bool is_value(const struct option *table, int value)
{
    while (table->name && table->val != value)
        table++;
    return table->name;
}

int next_option(const char *name, int n, char **word, const char *letters, const struct option *table)
{
    opterr = 0; /* errors in our own form */
    int option = getopt_long(n + 1, word - 1, letters, table, NULL);
    if (option == ':')
        usage("%s: '%s' lacks its value", name, word[optind - 2]);
    else if (option == '?' && is_value(table, optopt))
        usage("%s: '%s': this option takes no value", name, word[optind - 2]);
    else if (option == '?' && optopt)
        usage("%s: '-%c' is no option", name, optopt);
    else if (option == '?')
        usage("%s: '%s' is no option", name, word[optind - 2]);
    return option == ':' ? '?' : option;
}

bool parse_number(const char *text, u64 *number)
{
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 0);
    return *text >= '0' && *text <= '9' && !*end && !errno;
}

bool parse_size(const char *text, u64 *size)
{
    static const char units[] = "KMG";
    char *end;
    errno = 0;
    u64 value = strtoull(text, &end, 0);
    const char *unit = *end ? strchr(units, *end) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (*text < '0' || *text > '9' || errno || (*end && (!unit || end[1])) || value >= SIZE_END >> shift)
        return false;
    *size = value << shift;
    return true;
}

unsigned parse_list(const char *text, unsigned *list, unsigned room)
{
    unsigned n = 0;
    for (;;) {
        char *end;
        unsigned long first = strtoul(text, &end, 10), last = first;
        if (*text < '0' || *text > '9')
            return 0;
        if (*end == '-') {
            text = end + 1;
            last = strtoul(text, &end, 10);
            if (*text < '0' || *text > '9' || last < first)
                return 0;
        }
        if (last > INT_MAX) /* converted to unsigned it would be another number */
            return 0;
        for (; first <= last; first++) {
            if (n == room)
                return 0;
            list[n++] = (unsigned)first;
        }
        if (!*end)
            return n;
        if (*end != ',')
            return 0;
        text = end + 1;
    }
}

/* Write a control character as ^X, and one of the upper set (U+0080 to U+009F) as M-^X. */
static size_t show_control(u8 byte, char *to)
{
    size_t n = 0;
    if (byte & 0x80) {
        to[n++] = 'M';
        to[n++] = '-';
    }
    to[n++] = '^';
    to[n++] = (char)((byte & 0x7f) ^ 0x40);
    return n;
}

size_t show_text(u8 *held, const char *from, size_t n, char *to)
{
    size_t out = 0;
    for (size_t i = 0; i < n; i++) {
        u8 byte = (u8)from[i], before = *held;
        *held = byte == '\r' || byte == UTF8_UPPER_CONTROL ? byte : 0;
        bool upper = before == UTF8_UPPER_CONTROL && byte >= 0x80 && byte < 0xa0;
        if (before == '\r' && byte != '\n')
            out += show_control(before, to + out);
        else if (before == UTF8_UPPER_CONTROL && !upper)
            to[out++] = (char)before;
        if (upper || byte == 0x7f || (byte < 0x20 && byte != '\n' && byte != '\t' && byte != '\r'))
            out += show_control(byte, to + out);
        else if (!*held)
            to[out++] = (char)byte;
    }
    return out;
}
