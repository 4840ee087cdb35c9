/* SPDX-License-Identifier: MIT */
/* cat [FILE...] - writes files one after the other. */
#include "tool.h"

static int copy(const char *tool, int file, const char *name)
{
    char some[4096];
    ssize_t n;
    while ((n = read(file, some, sizeof some)) > 0)
        if (write(1, some, (size_t)n) != n)
            return complain(tool, "output");
    return n < 0 ? complain(tool, name) : 0;
}

int main(int argc, char **argv) { return with_each(argc, argv, copy); }
