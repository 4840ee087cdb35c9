/* SPDX-License-Identifier: MIT */
/* scandir.c - a folder as a sorted array: scandir(), alphasort(). */
#define _GNU_SOURCE /* qsort_r() with its argument last */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

int alphasort(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static int by_caller(const void *a, const void *b, void *compare)
{
    return (*(int (**)(const struct dirent **, const struct dirent **))compare)((const struct dirent **)a,
                                                                                (const struct dirent **)b);
}

/* Returns whether there was memory for one more. */
static int append(struct dirent ***list, size_t n, const struct dirent *e)
{
    struct dirent **longer = n & (n - 1) ? *list : realloc(*list, (n ? 2 * n : 1) * sizeof **list);
    if (!longer)
        return 0;
    *list = longer;
    longer[n] = malloc(sizeof *e);
    if (longer[n])
        *longer[n] = *e;
    return longer[n] != NULL;
}

int scandir(const char *path, struct dirent ***result, int (*wanted)(const struct dirent *),
            int (*compare)(const struct dirent **, const struct dirent **))
{
    struct dirent **list = NULL;
    size_t n = 0;
    int fine = 1;
    DIR *d = opendir(path);
    for (struct dirent *e; d && fine && (e = readdir(d));)
        if (!wanted || wanted(e)) {
            fine = append(&list, n, e);
            n += (size_t)fine;
        }
    if (d)
        closedir(d);
    if (!d || !fine) {
        while (n)
            free(list[--n]);
        free(list);
        return -1;
    }
    if (compare && n)
        qsort_r(list, n, sizeof *list, by_caller, &compare);
    *result = list;
    return (int)n;
}
