/* SPDX-License-Identifier: MIT */
/* echo [WORD...] - writes its words and a line's end; -n: without that. */
#include "tool.h"

int main(int argc, char **argv)
{
    int bare = argc > 1 && !strcmp(argv[1], "-n");
    for (int i = 1 + bare; i < argc; i++)
        printf("%s%s", argv[i], i + 1 < argc ? " " : "");
    if (!bare)
        putchar('\n');
    return fflush(stdout) ? complain("echo", "output") : 0;
}
