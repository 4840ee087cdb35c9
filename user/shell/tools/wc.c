/* SPDX-License-Identifier: MIT */
/* wc [FILE...] - counts lines, words and bytes. */
#include <ctype.h>

#include "tool.h"

static int count(const char *tool, int file, const char *name)
{
    unsigned long lines = 0, words = 0, bytes = 0;
    int inside = 0;
    char some[4096];
    ssize_t n;
    while ((n = read(file, some, sizeof some)) > 0) {
        bytes += (unsigned long)n;
        for (ssize_t i = 0; i < n; i++) {
            int blank = isspace((unsigned char)some[i]) != 0;
            lines += some[i] == '\n';
            words += !blank && !inside;
            inside = !blank;
        }
    }
    if (n < 0)
        return complain(tool, name);
    printf("%lu %lu %lu%s%s\n", lines, words, bytes, file ? " " : "", file ? name : "");
    return 0;
}

int main(int argc, char **argv) { return printed(argv[0], with_each(argc, argv, count)); }
