/* SPDX-License-Identifier: MIT */
/* head [-n N | -N] [FILE...] - writes the first N lines of each, 10 if nothing is said. */
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

/* Take N from the words. Returns how many words it was in, or -1: it is no number. */
static int take_number(int argc, char **argv)
{
    if (argc < 2 || argv[1][0] != '-' || !argv[1][1])
        return 0;
    int words = strcmp(argv[1], "-n") ? 1 : 2;
    const char *number = argv[1] + (argv[1][1] == 'n' ? 2 : 1);
    if (words == 2)
        number = argc > 2 ? argv[2] : "";
    most = number_of(number);
    return most < 0 ? -1 : words;
}

int main(int argc, char **argv)
{
    int words = take_number(argc, argv);
    if (words < 0)
        return complain(argv[0], argv[1]);
    argv[words] = argv[0];
    return printed(argv[0], with_each(argc - words, argv + words, begin));
}
