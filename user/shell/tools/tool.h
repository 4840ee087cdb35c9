/* SPDX-License-Identifier: MIT */
/* tool.h - what the small tools share. */
#ifndef AMALGAM_SHELL_TOOL_H
#define AMALGAM_SHELL_TOOL_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Say what could not be done. Returns the tool's status. */
static inline int complain(const char *tool, const char *what)
{
    fprintf(stderr, "%s: %s: %s\n", tool, what, strerror(errno));
    return 1;
}

/* Returns the number that a word is, or -1, and errno says that it is none. */
static inline long number_of(const char *word)
{
    char *end;
    errno = 0;
    long number = strtol(word, &end, 10);
    if (end == word || *end || number < 0)
        errno = EINVAL;
    return errno ? -1 : number;
}

/* What was printed is written. Returns `result`, or 1 if that failed, which is said. */
static inline int printed(const char *tool, int result) { return fflush(stdout) ? complain(tool, "output") : result; }

/* End reading lines from a file. Returns the status. */
static inline int end_lines(const char *tool, FILE *in, const char *name)
{
    int result = ferror(in) ? complain(tool, name) : 0;
    fclose(in);
    return result;
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

/* Do something with each name that is said. Returns the status. */
static inline int with_names(int argc, char **argv, int (*does)(const char *name))
{
    int result = 0;
    for (int i = 1; i < argc; i++)
        if (does(argv[i]))
            result = complain(argv[0], argv[i]);
    return result;
}

/* Copy what is left of a file. Returns the status. */
static inline int copy(const char *tool, int from, const char *from_name, int to, const char *to_name)
{
    char some[4096];
    ssize_t n;
    while ((n = read(from, some, sizeof some)) > 0)
        if (write(to, some, (size_t)n) != n)
            return complain(tool, to_name);
    return n < 0 ? complain(tool, from_name) : 0;
}

/* Returns where FROM goes: TO, or its name in the folder TO, which is written to `into`. */
static inline const char *destination(const char *from, const char *to, char *into, size_t n)
{
    struct stat s;
    const char *name = strrchr(from, '/');
    if (stat(to, &s) || !S_ISDIR(s.st_mode))
        return to;
    snprintf(into, n, "%s/%s", to, name ? name + 1 : from);
    return into;
}

#endif
