/* SPDX-License-Identifier: MIT */
/*
 * files.c - reads the process's files. arguments: [files, PATH, ...]. A PATH is a directory, whose tree is listed, or a
 * file, whose lines are counted by stdio and whose bytes are summed by read().
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned sum_by_read(const char *path)
{
    unsigned char piece[100];
    unsigned sum = 0;
    int file = open(path, O_RDONLY);
    for (ssize_t n; (n = read(file, piece, sizeof piece)) > 0;)
        for (ssize_t i = 0; i < n; i++)
            sum = sum * 31 + piece[i];
    close(file);
    return sum;
}

static void tell_file(const char *path, const struct stat *s)
{
    char line[128], last[128] = "";
    unsigned lines = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        strcpy(last, line);
        lines++;
    }
    if (file)
        fclose(file);
    last[strcspn(last, "\n")] = '\0';
    printf("files: %s: %lu bytes, %u lines, sum %08x, last \"%s\"\n", path, (unsigned long)s->st_size, lines,
           sum_by_read(path), last);
}

static void tell(const char *path)
{
    struct stat s;
    if (stat(path, &s)) {
        printf("files: %s: %s\n", path, strerror(errno));
        return;
    }
    if (S_ISREG(s.st_mode))
        tell_file(path, &s);
    if (!S_ISDIR(s.st_mode))
        return;
    DIR *folder = opendir(path);
    printf("files: %s:\n", path);
    for (const struct dirent *e; folder && (e = readdir(folder));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        char below[512];
        snprintf(below, sizeof below, "%s/%s", strcmp(path, "/") ? path : "", e->d_name);
        tell(below);
    }
    if (folder)
        closedir(folder);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        tell(argv[i]);
    return 0;
}
