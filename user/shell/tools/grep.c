/* SPDX-License-Identifier: MIT */
/* grep [-v] TEXT [FILE...] - writes the lines in which the text stands; -v: the others. Status 1: there are none. */
#include "tool.h"

static const char *wanted;
static int inverted, found;

static int look(const char *tool, int file, const char *name)
{
    FILE *in = fdopen(dup(file), "r");
    char line[1024];
    if (!in)
        return complain(tool, name);
    while (fgets(line, sizeof line, in))
        if ((strstr(line, wanted) == NULL) == inverted) {
            fputs(line, stdout);
            found = 1;
        }
    return end_lines(tool, in, name);
}

int main(int argc, char **argv)
{
    int skipped = 1;
    if (argc > 1 && !strcmp(argv[1], "-v"))
        inverted = skipped++;
    if (argc <= skipped) {
        fprintf(stderr, "grep: grep [-v] TEXT [FILE...]\n");
        return 2;
    }
    wanted = argv[skipped];
    argv[skipped] = argv[0];
    int result = with_each(argc - skipped, argv + skipped, look);
    return printed(argv[0], result) ? 2 : !found;
}
