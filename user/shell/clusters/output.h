/* SPDX-License-Identifier: MIT */
/*
 * output.h - what programs of other clusters write, said at the shell's console by whole lines (output.c), so that
 * those of two programs do not mix. A server or a program may send anything: what is no text is shown as '?'.
 */
#ifndef AMALGAM_SHELL_OUTPUT_H
#define AMALGAM_SHELL_OUTPUT_H

#include <stdbool.h>

#define OUTPUT_LINE  128 /* bytes; a longer line is said in parts */
#define OUTPUT_ALONE (-1)

/* A program that was started piped. */
struct output {
    int number; /* 0: none */
    int rank;   /* is said before each line; OUTPUT_ALONE: nothing is */
    bool late;  /* its server did not answer the last question, and may have taken a piece out for it */
    unsigned n; /* bytes of a line that is not whole */
    char line[OUTPUT_LINE];
};

static inline struct output output_of(int number, int rank)
{
    return (struct output){ .number = number, .rank = rank };
}

/* Say what it has written and nobody has read, at most `pieces` of it. Returns whether no more will come. */
bool output_say(struct output *o, unsigned pieces);

#endif
