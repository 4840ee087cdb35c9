/* SPDX-License-Identifier: MIT */
/*
 * console_text.c - how a speaker's text looks on the human port and on the tagged channel (core/console.h).
 *
 * Text goes into the rings in runs, not byte by byte: interrupts are off meanwhile.
 */
#include <core/console.h>
#include <string.h>

#include "console_ring.h"
#include "console_text.h"

static bool mid_line;          /* the human port's cursor is not in column 0 */
static unsigned out_tag = TAG; /* whose bytes the host takes the next ones for; TAG: nobody's */

static void send(unsigned port, const void *bytes, size_t n)
{
    for (const u8 *at = bytes; n;) {
        u32 sent = ring_send(port, at, n);
        at += sent;
        n -= sent;
    }
}

/* How many of these bytes come before the first `end`. */
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

/* Line ends as a terminal wants them. */
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

static void background(struct source *s, const char *text, size_t n)
{
    for (; n; text++, n--) {
        if (*text == '\r' || *text == '\0') /* a terminal does nothing for it */
            continue;
        if (*text != '\n')
            s->line[s->used++] = *text;
        if (*text == '\n' || s->used == LINE)
            text_line(s);
    }
}

void text_shown(unsigned id, struct source *s, bool focused, const char *text, size_t n)
{
    if (!focused)
        background(s, text, n);
    else if (id == CONSOLE_KERNEL)
        say(text, n);
    else
        raw(text, n);
}

void text_tagged(unsigned id, const char *text, size_t n)
{
    const u8 tag[] = { TAG, id };
    while (n) {
        /* Twice after bytes were lost: the first may meet half a tag, and end that. */
        for (unsigned times = ring_lost(TAGGED) ? 2 : id != out_tag; times; times--) {
            out_tag = id;
            send(TAGGED, tag, sizeof(tag));
        }
        size_t sent = before(text, n, (char)TAG);
        if (sent) {
            sent = ring_send(TAGGED, text, sent);
        } else {
            send(TAGGED, "\xff\xff", 2);
            sent = 1;
        }
        text += sent;
        n -= sent;
    }
}
