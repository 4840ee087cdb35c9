/* SPDX-License-Identifier: MIT */
/*
 * exported.h - the functions that the files of a folder export, as nm reads them from the test itself, against the
 * tables of a test that must name each of them.
 */
#ifndef AMALGAM_TESTS_EXPORTED_H
#define AMALGAM_TESTS_EXPORTED_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Ask `is_named` about each function from a file below `folder`, and print those that it does not know. Returns how
 * many there are; *known becomes the number of the others. */
static unsigned exported_unknown(const char *folder, bool (*is_named)(const char *name), unsigned *known)
{
    char line[1024], kind, name[256], path[512];
    unsigned unknown = 0;
    FILE *nm = popen("exec nm --line-numbers --extern-only --defined-only /proc/$PPID/exe", "r");
    *known = 0;
    while (nm && fgets(line, sizeof(line), nm)) {
        if (sscanf(line, "%*x %c %255s %511s", &kind, name, path) != 3 || kind != 'T' || !strstr(path, folder))
            continue;
        if (is_named(name)) {
            ++*known;
            continue;
        }
        fprintf(stderr, "%s (%s) is in no table\n", name, path);
        unknown++;
    }
    return nm && !pclose(nm) ? unknown : 1;
}

#endif
