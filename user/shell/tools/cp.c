/* SPDX-License-Identifier: MIT */
/* cp FROM TO - copies a file; TO may be a folder. */
#include <sys/stat.h>

#include "tool.h"

int main(int argc, char **argv)
{
    char some[4096], into[1024];
    struct stat s;
    ssize_t n;
    if (argc != 3) {
        fprintf(stderr, "cp: cp FROM TO\n");
        return 2;
    }
    const char *to = argv[2], *name = strrchr(argv[1], '/');
    if (!stat(to, &s) && S_ISDIR(s.st_mode)) {
        snprintf(into, sizeof into, "%s/%s", to, name ? name + 1 : argv[1]);
        to = into;
    }
    int in = open(argv[1], O_RDONLY);
    if (in < 0 || fstat(in, &s))
        return complain("cp", argv[1]);
    int out = open(to, O_WRONLY | O_CREAT | O_TRUNC, s.st_mode & 0777);
    if (out < 0)
        return complain("cp", to);
    while ((n = read(in, some, sizeof some)) > 0)
        if (write(out, some, (size_t)n) != n)
            return complain("cp", to);
    if (n < 0)
        return complain("cp", argv[1]);
    return close(out) ? complain("cp", to) : 0;
}
