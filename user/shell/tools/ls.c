/* SPDX-License-Identifier: MIT */
/* ls [-l] [FOLDER...] - names what a folder has, in order; -l: with kinds and sizes. */
#include <dirent.h>
#include <stdlib.h>

#include "tool.h"

static int in_order(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static int is_shown(const struct dirent *d) { return d->d_name[0] != '.'; }

static void show(const char *path, const char *name, int is_long)
{
    struct stat s;
    if (!is_long || stat(path, &s))
        printf("%s\n", name);
    else
        printf("%c %8ld %s\n", S_ISDIR(s.st_mode) ? 'd' : '-', (long)s.st_size, name);
}

static int list(const char *folder, int is_long)
{
    char *names[512];
    int n = 0;
    struct stat s;
    if (stat(folder, &s))
        return complain("ls", folder);
    if (!S_ISDIR(s.st_mode)) {
        show(folder, folder, is_long);
        return 0;
    }
    DIR *d = opendir(folder);
    if (!d)
        return complain("ls", folder);
    for (struct dirent *e; n < 512 && (e = readdir(d));)
        if (is_shown(e))
            names[n++] = strdup(e->d_name);
    closedir(d);
    qsort(names, (size_t)n, sizeof *names, in_order);
    for (int i = 0; i < n; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        show(path, names[i], is_long);
    }
    return 0;
}

int main(int argc, char **argv)
{
    int is_long = argc > 1 && !strcmp(argv[1], "-l"), result = 0;
    if (argc == 1 + is_long)
        return list(".", is_long);
    for (int i = 1 + is_long; i < argc; i++)
        result |= list(argv[i], is_long);
    return result;
}
