/* SPDX-License-Identifier: MIT */
/*
 * ownfiles.c - a program with files on a disk that it drives itself, by stdio: arguments [ownfiles]. The disk's file
 * system, which is made if there is none, is its folder /disk. It counts its starts in a file there, and tries each
 * call that a path or a file has.
 */
#include <amalgam/disk.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRAM "ownfiles"
#include "../../../user/programs/must.h"

static struct amalgam_disk disk;
static lfs_t lfs;

static void begin(void)
{
    RESULT(amalgam_disk_open(&disk, 0, 0, 0));
    if (amalgam_disk_mount(&lfs, &disk)) {
        puts("ownfiles: a new file system");
        RESULT(lfs_format(&lfs, &disk.config));
        RESULT(amalgam_disk_mount(&lfs, &disk));
    }
    struct amalgam_disk_tree *tree = amalgam_disk_tree(&lfs);
    MUST(tree && !mkdir("/disk", 0755) && !amalgam_disk_mount_at(tree, "/disk"));
    MUST(amalgam_disk_mount_at(tree, "/disk") == -1 && errno == EBUSY);
}

/* Returns how many starts there were before this one. */
static unsigned count(void)
{
    unsigned starts = 0;
    FILE *f = fopen("/disk/starts", "r");
    if (f) {
        MUST(fscanf(f, "%u", &starts) == 1);
        fclose(f);
    }
    f = fopen("/disk/starts.new", "w");
    MUST(f && fprintf(f, "%u\n", starts + 1) > 0 && !fclose(f));
    MUST(!rename("/disk/starts.new", "/disk/starts"));
    return starts;
}

static unsigned entries(const char *path)
{
    unsigned n = 0;
    DIR *d = opendir(path);
    MUST(d);
    for (const struct dirent *e; (e = readdir(d));)
        n += *e->d_name != '.';
    closedir(d);
    return n;
}

static void change(void)
{
    char text[32];
    struct stat s;
    MUST(!mkdir("/disk/folder", 0700) && mkdir("/disk/folder", 0700) == -1 && errno == EEXIST);
    FILE *f = fopen("/disk/folder/lines", "w+");
    MUST(f);
    for (int i = 0; i < 2000; i++)
        MUST(fprintf(f, "line %d\n", i) > 0);
    MUST(!fseek(f, -10, SEEK_END) && fgets(text, sizeof text, f) && !strcmp(text, "line 1999\n") && !fclose(f));
    f = fopen("/disk/folder/lines", "a");
    MUST(f && fputs("the end\n", f) >= 0 && !fclose(f));
    MUST(!stat("/disk/folder/lines", &s) && s.st_size == 18898 && S_ISREG(s.st_mode));
    MUST(!truncate("/disk/folder/lines", 6) && !stat("/disk//folder/./lines", &s) && s.st_size == 6);
    MUST(!chdir("/disk/folder") && getcwd(text, sizeof text) && !strcmp(text, "/disk/folder"));
    int file = open("lines", O_RDWR);
    MUST(file >= 0 && pwrite(file, "LINE", 4, 0) == 4 && !fsync(file) && !close(file));
    MUST((file = open("../folder/lines", O_RDONLY)) >= 0 && read(file, text, sizeof text) == 6 &&
         !memcmp(text, "LINE 0", 6));
    MUST(write(file, "no", 2) == -1 && errno == EBADF && !close(file));
    MUST(!chdir("/") && entries("/disk/folder") == 1 && entries("/disk") == 2);
}

static void refuse(void)
{
    MUST(open("/disk/none", O_RDONLY) == -1 && errno == ENOENT);
    MUST(open("/disk/none/more", O_RDONLY | O_CREAT, 0600) == -1 && errno == ENOENT);
    MUST(open("/disk/starts/more", O_RDONLY) == -1 && errno == ENOTDIR);
    MUST(open("/disk/starts", O_RDONLY | O_DIRECTORY) == -1 && errno == ENOTDIR);
    MUST(open("/disk/starts", O_RDWR | O_CREAT | O_EXCL, 0600) == -1 && errno == EEXIST);
    MUST(open("/disk/folder", O_RDWR) == -1 && errno == EISDIR);
    MUST(open("/disk", O_WRONLY | O_CREAT, 0600) == -1 && errno == EISDIR);
    MUST(rename("/disk/starts", "/starts") == -1 && errno == EXDEV);
    MUST(rmdir("/disk/folder") == -1 && errno == ENOTEMPTY && rmdir("/disk/.") == -1 && unlink("/disk/folder") == -1);
    MUST(symlink("/disk/starts", "/disk/link") == -1);
    MUST(!remove("/disk/folder/lines") && !remove("/disk/folder") && entries("/disk") == 1);
}

int main(void)
{
    begin();
    unsigned starts = count();
    change();
    refuse();
    printf("ownfiles: start %u\n", starts + 1);
    return 0;
}
