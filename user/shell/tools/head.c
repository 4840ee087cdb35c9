/* SPDX-License-Identifier: MIT */
/* head [-N] [FILE...] - writes the first N lines, 10 if nothing is said. */
#include <stdlib.h>

#include "tool.h"

static long most = 10;

static int begin(const char *tool, int file, const char *name)
{
    FILE *in = fdopen(dup(file), "r");
    char line[1024];
    if (!in)
        return complain(tool, name);
    for (long n = 0; n < most && fgets(line, sizeof line, in); n += strchr(line, '\n') != NULL)
        fputs(line, stdout);
    return end_lines(tool, in, name);
}

int main(int argc, char **argv)
{
    if (argc > 1 && argv[1][0] == '-' && argv[1][1]) {
        most = atol(argv[1] + 1);
        argv[1] = argv[0];
        argv++;
        argc--;
    }
    return printed(argv[0], with_each(argc, argv, begin));
}
