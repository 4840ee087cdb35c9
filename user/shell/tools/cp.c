/* SPDX-License-Identifier: MIT */
/* cp FROM TO - copies a file; TO may be a folder, and is not the file itself: opening that would empty it. */
#include "tool.h"

int main(int argc, char **argv)
{
    char into[1024];
    struct stat s, there;
    if (argc != 3) {
        fprintf(stderr, "cp: cp FROM TO\n");
        return 2;
    }
    const char *to = destination(argv[1], argv[2], into, sizeof into);
    int in = open(argv[1], O_RDONLY);
    if (in < 0 || fstat(in, &s))
        return complain("cp", argv[1]);
    if (!stat(to, &there) && there.st_dev == s.st_dev && there.st_ino == s.st_ino) {
        fprintf(stderr, "cp: %s: it is the file itself\n", to);
        return 1;
    }
    int out = open(to, O_WRONLY | O_CREAT | O_TRUNC, s.st_mode & 0777);
    if (out < 0)
        return complain("cp", to);
    if (copy("cp", in, argv[1], out, to))
        return 1;
    return close(out) ? complain("cp", to) : 0;
}
