/* SPDX-License-Identifier: MIT */
/* tool.h - what the small tools share. */
#ifndef AMALGAM_SHELL_TOOL_H
#define AMALGAM_SHELL_TOOL_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Say what could not be done. Returns the tool's status. */
static inline int complain(const char *tool, const char *what)
{
    fprintf(stderr, "%s: %s: %s\n", tool, what, strerror(errno));
    return 1;
}

/* Do something with each file that is named, or with number 0. Returns the status. */
static inline int with_each(int argc, char **argv, int (*does)(const char *tool, int file, const char *name))
{
    int result = 0;
    if (argc < 2)
        return does(argv[0], 0, "-");
    for (int i = 1; i < argc; i++) {
        int file = open(argv[i], O_RDONLY);
        if (file < 0) {
            result = complain(argv[0], argv[i]);
            continue;
        }
        if (does(argv[0], file, argv[i]))
            result = 1;
        close(file);
    }
    return result;
}

#endif
