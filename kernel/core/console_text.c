/* SPDX-License-Identifier: MIT */
/*
 * console_text.c - the form of a source's text on the human port and on the tagged channel (core/console.h).
 *
 * Text is copied into the rings in runs, not byte by byte, because interrupts are off meanwhile. A speaker chooses its
 * text, so a function here does a bounded piece: a line of a source without focus has a name and two line ends more
 * than its bytes, and a byte that looks like a tag is two.
 */
#include <core/console.h>
#include <string.h>

#include "console_ring.h"
#include "console_text.h"

#define PIECE 66 /* bytes framed at once, on the stack: a chunk of a source and its tag */

static bool mid_line;          /* the human port's cursor is not in column 0 */
static unsigned out_tag = TAG; /* the source id that the host has seen last; TAG: none */

static void send(unsigned port, const void *bytes, size_t n)
{
    for (const u8 *at = bytes; n;) {
        u32 sent = ring_send(port, at, n);
        at += sent;
        n -= sent;
    }
}

/* Returns the number of bytes before the first `end`. */
static size_t before(const char *text, size_t n, char end)
{
    size_t i = 0;
    while (i < n && text[i] != end)
        i++;
    return i;
}

static void raw(const char *text, size_t n)
{
    send(HUMAN, text, n);
    while (n && text[n - 1] == '\r')
        n--;
    if (n)
        mid_line = text[n - 1] != '\n';
}

/* Write text with "\r\n" for each '\n', for terminals. */
static void say(const char *text, size_t n)
{
    while (n) {
        size_t run = before(text, n, '\n');
        raw(text, run);
        if (run < n) {
            raw("\r\n", 2);
            run++;
        }
        text += run;
        n -= run;
    }
}

void text_say(const char *text) { say(text, strlen(text)); }

__noinline void text_end_line(void)
{
    if (mid_line)
        text_say("\n");
}

__noinline void text_half_line(struct source *s)
{
    raw(s->line, s->used);
    s->used = 0;
}

void text_line(struct source *s)
{
    text_end_line();
    text_say("[");
    text_say(s->name ? s->name : "?");
    text_say("] ");
    text_half_line(s);
    text_say("\n");
}

static size_t background(struct source *s, const char *text, size_t n)
{
    const char *at = text, *end = text + n;
    while (at < end) {
        char c = *at++;
        if (c == '\r' || c == '\0') /* not part of a shown line */
            continue;
        if (c != '\n')
            s->line[s->used++] = c;
        if (c == '\n' || s->used == LINE) {
            text_line(s);
            break;
        }
    }
    return (size_t)(at - text);
}

size_t text_shown(unsigned id, struct source *s, bool focused, const char *text, size_t n)
{
    if (!focused)
        return background(s, text, n);
    if (id == CONSOLE_KERNEL)
        say(text, n);
    else
        raw(text, n);
    return n;
}

/* Not inlined: its buffer would lie below every line that console_write() shows, too. */
__noinline void text_tagged(unsigned id, const char *text, size_t n)
{
    while (n) {
        u8 framed[PIECE + 1], *to = framed;
        /* After bytes were dropped the tag is sent twice: the first may complete half a tag and so be misread. */
        for (unsigned times = ring_lost(TAGGED) ? 2 : id != out_tag; times; times--) {
            *to++ = TAG;
            *to++ = out_tag = id;
        }
        for (; n && to < &framed[PIECE]; n--) {
            if ((u8)*text == TAG)
                *to++ = TAG;
            *to++ = *text++;
        }
        send(TAGGED, framed, to - framed);
    }
}
