/* SPDX-License-Identifier: MIT */
/* output.c - see output.h. */
#include "output.h"

#include <nanvix/runtime/pm/process.h>
#include <stdio.h>

static void say_line(struct output *o)
{
    if (o->rank != OUTPUT_ALONE)
        printf("%d: ", o->rank);
    printf("%.*s\n", (int)o->n, o->line);
    o->n = 0;
}

static void take(struct output *o, char c)
{
    if (c == '\n' || o->n == OUTPUT_LINE)
        say_line(o);
    if (c != '\n' && c != '\r')
        o->line[o->n++] = (c >= ' ' && c < 0x7f) || c == '\t' ? c : '?';
}

bool output_say(struct output *o, unsigned pieces)
{
    char piece[NANVIX_PROCESS_OUTPUT];
    int n = 1;
    for (unsigned i = 0; i < pieces && n > 0; i++) {
        n = nanvix_process_output(o->number, piece);
        for (int k = 0; k < n; k++)
            take(o, piece[k]);
    }
    o->late = n == -EIO;
    if (n > 0 || n == -EAGAIN)
        return false;
    if (o->n) /* its last line has no end */
        say_line(o);
    if (n == -EPIPE)
        printf("[%d] the rest of its output is lost: nothing was typed here for too long\n", o->number);
    return true;
}
