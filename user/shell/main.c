/* SPDX-License-Identifier: MIT */
/* main.c - a small shell (docs/shell.md): reads lines from the console, or from a file that is its argument. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shell.h"

#define LINE 1024

int main(int argc, char **argv)
{
    char line[LINE];
    FILE *in = argc > 1 ? fopen(argv[1], "r") : stdin;
    bool asks = argc <= 1 && isatty(0);
    if (!in)
        return perror(argv[1]), 127;
    for (;;) {
        say_ends();
        if (asks) {
            printf("$ ");
            fflush(stdout);
        }
        if (!fgets(line, sizeof line, in))
            return status;
        run(line);
        fflush(stdout);
    }
}
