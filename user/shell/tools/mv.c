/* SPDX-License-Identifier: MIT */
/* mv FROM TO - gives a file another name; TO may be a folder. */
#include <sys/stat.h>

#include "tool.h"

int main(int argc, char **argv)
{
    char into[1024];
    struct stat s;
    if (argc != 3) {
        fprintf(stderr, "mv: mv FROM TO\n");
        return 2;
    }
    const char *to = argv[2], *name = strrchr(argv[1], '/');
    if (!stat(to, &s) && S_ISDIR(s.st_mode)) {
        snprintf(into, sizeof into, "%s/%s", to, name ? name + 1 : argv[1]);
        to = into;
    }
    return rename(argv[1], to) ? complain("mv", argv[1]) : 0;
}
