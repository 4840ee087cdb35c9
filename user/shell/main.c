/* SPDX-License-Identifier: MIT */
/* main.c - a small shell (docs/shell.md): reads lines from the console, or from a file that is its argument. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shell.h"

#define LINE 1024

void run_lines(FILE *in, bool asks)
{
    char line[LINE];
    while (!leaving && !(stopped && !asks)) {
        say_ends();
        if (asks) {
            stopped = false;
            printf("$ ");
            fflush(stdout);
        }
        if (!fgets(line, sizeof line, in))
            return;
        run(line);
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    FILE *in = argc > 1 ? fopen(argv[1], "r") : stdin;
    if (!in)
        return perror(argv[1]), 127;
    run_lines(in, argc <= 1 && isatty(0));
    return status;
}
