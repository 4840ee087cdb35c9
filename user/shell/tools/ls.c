/* SPDX-License-Identifier: MIT */
/* ls [-l] [FOLDER...] - names what a folder has, in order; -l: with kinds and sizes. */
#include <dirent.h>

#include "../names.h"
#include "tool.h"

static int is_shown(const struct dirent *d) { return d->d_name[0] != '.'; }

static void show(const char *path, const char *name, int is_long)
{
    struct stat s;
    if (!is_long || stat(path, &s))
        printf("%s\n", name);
    else
        printf("%c %8ld %s\n", S_ISDIR(s.st_mode) ? 'd' : '-', (long)s.st_size, name);
}

static int gather(DIR *d, struct names *to)
{
    struct dirent *e;
    while (errno = 0, (e = readdir(d)))
        if (is_shown(e) && !names_add(to, e->d_name))
            return -1;
    return errno ? -1 : 0;
}

static int list(const char *folder, int is_long)
{
    struct names all = { 0 };
    struct stat s;
    int result = 0;
    if (stat(folder, &s))
        return complain("ls", folder);
    if (!S_ISDIR(s.st_mode)) {
        show(folder, folder, is_long);
        return 0;
    }
    DIR *d = opendir(folder);
    if (!d)
        return complain("ls", folder);
    if (gather(d, &all))
        result = complain("ls", folder);
    closedir(d);
    names_sort(&all);
    for (size_t i = 0; i < all.n; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, all.name[i]);
        show(path, all.name[i], is_long);
    }
    names_free(&all);
    return result;
}

int main(int argc, char **argv)
{
    int is_long = argc > 1 && !strcmp(argv[1], "-l"), result = 0;
    if (argc == 1 + is_long)
        return printed("ls", list(".", is_long));
    for (int i = 1 + is_long; i < argc; i++)
        result |= list(argv[i], is_long);
    return printed("ls", result);
}
