/* SPDX-License-Identifier: MIT */
/* mv FROM TO - gives a file another name; TO may be a folder. */
#include "tool.h"

int main(int argc, char **argv)
{
    char into[1024];
    if (argc != 3) {
        fprintf(stderr, "mv: mv FROM TO\n");
        return 2;
    }
    return rename(argv[1], destination(argv[1], argv[2], into, sizeof into)) ? complain("mv", argv[1]) : 0;
}
