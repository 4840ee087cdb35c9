/* SPDX-License-Identifier: MIT */
/* main.c - a small shell (docs/shell.md): reads lines from the console, or from a file that is its argument. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shell.h"

#define LINE 1024

void run_lines(FILE *in)
{
    char line[LINE];
    while (!leaving && !stopped) {
        say_ends();
        if (!fgets(line, sizeof line, in))
            return;
        run(line);
        fflush(stdout);
    }
}

static void run_typed(void)
{
    while (!leaving) {
        say_ends();
        stopped = false;
        char *line = edit_line("$ ");
        if (!line)
            return;
        run(line);
        free(line);
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    FILE *in = argc > 1 ? fopen(argv[1], "r") : stdin;
    if (!in)
        return perror(argv[1]), 127;
    if (argc <= 1 && isatty(0))
        run_typed();
    else
        run_lines(in);
    return status;
}
