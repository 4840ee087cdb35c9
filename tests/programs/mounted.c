/* SPDX-License-Identifier: MIT */
/*
 * mounted.c - uses the files of a server at tunnel 0 (docs/files.md), below /srv.
 *   mounted write   makes files and folders there, and tells what it finds
 *   mounted watch   reads what `write` has written, and goes on when the server ends and begins again
 *   mounted fill    writes until there is no more room, and says how much there was
 *   mounted leave   opens as many files as it can, removes them, and ends without closing any
 *   mounted again   writes, reads and removes a file, again and again, while the server may end: it reads what it wrote
 *   mounted keep    counts its starts in a file there, which a server with a disk keeps
 */
#include <amalgam/mount.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES 20

static void must(int right, const char *what)
{
    if (right)
        return;
    printf("mounted: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void list(const char *path)
{
    const struct dirent *e;
    DIR *d = opendir(path);
    must(d != NULL, path);
    printf("mounted: %s has", path);
    while (errno = 0, (e = readdir(d)))
        if (*e->d_name != '.')
            printf(" %s%s", e->d_name, e->d_type == DT_DIR ? "/" : "");
    printf("\n");
    must(errno == 0, "readdir");
    closedir(d);
}

static void write_files(void)
{
    char text[64];
    struct stat s;
    must(mkdir("/srv/folder", 0755) == 0, "mkdir");
    FILE *f = fopen("/srv/new", "w");
    must(f != NULL, "fopen");
    for (int i = 0; i < 2000; i++)
        fprintf(f, "line %d\n", i);
    must(fclose(f) == 0, "fclose");
    must(rename("/srv/new", "/srv/folder/lines") == 0, "rename");
    must(rename("/srv/folder/lines", "/lines") == -1 && errno == EXDEV, "rename out of it");
    f = fopen("/srv/folder/lines", "r+");
    must(f != NULL && fseek(f, -10, SEEK_END) == 0 && fgets(text, sizeof text, f), "fseek");
    must(fprintf(f, "the end\n") > 0 && fclose(f) == 0, "fprintf");
    must(stat("/srv/folder/lines", &s) == 0 && truncate("/srv/folder/lines", s.st_size - 4) == 0, "truncate");
    must(stat("/srv/folder/lines", &s) == 0, "stat");
    printf("mounted: %ld bytes, mode %o\n", (long)s.st_size, (unsigned)s.st_mode);
    must(open("/srv/none", O_RDONLY) == -1 && errno == ENOENT, "what is not there");
    must(rmdir("/srv/folder") == -1 && errno == ENOTEMPTY, "rmdir");
    list("/srv");
    list("/srv/folder");
    must(rename("/srv/folder", "/srv/done") == 0, "rename");
    puts("mounted: wrote");
}

static void watch(void)
{
    char text[5];
    int f;
    while ((f = open("/srv/done/lines", O_RDONLY)) < 0)
        usleep(10000);
    must(read(f, text, sizeof text) == sizeof text && !memcmp(text, "line ", sizeof text), "read");
    puts("mounted: read");
    while (pread(f, text, sizeof text, 0) == sizeof text)
        usleep(1000);
    printf("mounted: lost: %s\n", strerror(errno));
    struct stat s;
    must(fstat(f, &s) == -1 && errno == EIO && lseek(f, 0, SEEK_END) == -1 && errno == EIO, "fstat of what is lost");
    must(close(f) == 0, "close");
    while (stat("/srv/greeting", &s))
        usleep(1000);
    must(stat("/srv/done", &s) == -1 && errno == ENOENT, "stat"); /* it is as the system file gives it */
    puts("mounted: again");
}

static void fill(void)
{
    static char block[4096];
    long all = 0, n;
    int f = open("/srv/fill", O_CREAT | O_EXCL | O_WRONLY, 0600);
    must(f >= 0, "open");
    while ((n = write(f, block, sizeof block)) > 0)
        all += n;
    printf("mounted: %ld KiB: %s\n", all / 1024, strerror(errno));
    must(close(f) == 0 && unlink("/srv/fill") == 0, "unlink");
}

static void leave(void)
{
    char path[32];
    for (int i = 0; i < FILES; i++) {
        sprintf(path, "/srv/left%d", i);
        int f = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
        must(f >= 0 && write(f, path, sizeof path) == sizeof path && unlink(path) == 0, path);
    }
    puts("mounted: left");
}

/* Returns whether the server was there all the time; its next life has none of the files of the last one. */
static int round_trip(unsigned number)
{
    static unsigned data[1000], back[1000];
    for (unsigned i = 0; i < 1000; i++)
        data[i] = number * 1000 + i;
    int f = open("/srv/again", O_CREAT | O_TRUNC | O_RDWR, 0600);
    if (f < 0)
        return 0;
    int good = write(f, data, sizeof data) == sizeof data && pread(f, back, sizeof back, 0) == sizeof back;
    if (good && memcmp(data, back, sizeof data) != 0) {
        printf("mounted: round %u: wrong\n", number);
        exit(1);
    }
    good = good && fsync(f) == 0;
    must(close(f) == 0, "close");
    return good && unlink("/srv/again") == 0;
}

static void again(void)
{
    for (unsigned number = 0, good = 0, lost = 0;; number++) {
        errno = 0;
        if (round_trip(number)) {
            if (++good % 100 == 0)
                printf("mounted: %u rounds, %u lost\n", good, lost);
        } else {
            must(errno == EIO || errno == ENOENT, "an error that says something else");
            lost++;
            usleep(1000);
        }
    }
}

/* As a program does that wants the old file or the new one, and nothing between. */
static void keep(void)
{
    unsigned starts = 0;
    FILE *f = fopen("/srv/starts", "r");
    must(f || errno == ENOENT, "fopen");
    if (f)
        must(fscanf(f, "started %u times", &starts) == 1 && fclose(f) == 0, "fscanf");
    f = fopen("/srv/new", "w");
    must(f && fprintf(f, "started %u times\n", starts + 1) > 0 && fflush(f) == 0, "fprintf");
    must(fsync(fileno(f)) == 0 && fclose(f) == 0, "fsync");
    must(rename("/srv/new", "/srv/starts") == 0, "rename");
    must(chmod("/srv/starts", 0600) == -1 && errno == EXDEV, "chmod"); /* not through a mount */
    printf("mounted: start %u\n", starts + 1);
    list("/srv");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    must(mkdir("/srv", 0755) == 0 && amalgam_mount(0, "/srv") == 0, "amalgam_mount");
    if (!strcmp(what, "write"))
        write_files();
    else if (!strcmp(what, "watch"))
        watch();
    else if (!strcmp(what, "again"))
        again();
    else if (!strcmp(what, "keep"))
        keep();
    else if (!strcmp(what, "fill"))
        fill();
    else if (!strcmp(what, "leave"))
        leave();
    return 0;
}
