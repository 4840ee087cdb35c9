/* SPDX-License-Identifier: MIT */
/*
 * boots.c - counts how often it was started on a disk: arguments [boots, WRITES]. It checks the file system, and makes
 * one if there is none; then it writes a file of many equal numbers anew, WRITES times (0: for ever), each time one
 * higher, and renames it to its place. At each start that file must be whole.
 */
#include <amalgam/disk.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "boots"
#include "../../programs/must.h"

#define NUMBERS 3000u

static struct amalgam_disk disk;
static lfs_t fs;
static uint32_t numbers[NUMBERS];

static void begin(void)
{
    RESULT(amalgam_disk_open(&disk, 0, 0, 0));
    if (amalgam_disk_mount(&fs, &disk)) {
        puts("boots: a new file system");
        RESULT(lfs_format(&fs, &disk.config));
        RESULT(amalgam_disk_mount(&fs, &disk));
    }
    RESULT(amalgam_disk_check(&fs));
}

/* Returns the bytes that were read, 0 if there is no such file. */
static lfs_ssize_t load(const char *path, void *to, lfs_size_t n)
{
    lfs_file_t f;
    int err = lfs_file_open(&fs, &f, path, LFS_O_RDONLY);
    if (err == LFS_ERR_NOENT)
        return 0;
    RESULT(err);
    lfs_ssize_t got = (lfs_ssize_t)RESULT(lfs_file_read(&fs, &f, to, n));
    RESULT(lfs_file_close(&fs, &f));
    return got;
}

static void store(const char *path, const void *from, lfs_size_t n)
{
    lfs_file_t f;
    RESULT(lfs_file_open(&fs, &f, "new", LFS_O_WRONLY | LFS_O_CREAT | LFS_O_TRUNC));
    MUST(lfs_file_write(&fs, &f, from, n) == (lfs_ssize_t)n);
    RESULT(lfs_file_close(&fs, &f));
    RESULT(lfs_rename(&fs, "new", path));
}

int main(int argc, char **argv)
{
    unsigned writes = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    uint32_t starts = 0;
    begin();
    load("starts", &starts, sizeof(starts));
    starts++;
    store("starts", &starts, sizeof(starts));
    lfs_ssize_t n = load("numbers", numbers, sizeof(numbers));
    MUST(n == 0 || n == sizeof(numbers));
    for (unsigned i = 1; i < NUMBERS; i++)
        MUST(numbers[i] == numbers[0]);
    printf("boots: %u, number %u\n", (unsigned)starts, (unsigned)numbers[0]);
    for (unsigned w = 0; !writes || w < writes; w++) {
        for (unsigned i = 0; i < NUMBERS; i++)
            numbers[i]++;
        store("numbers", numbers, sizeof(numbers));
    }
    RESULT(lfs_unmount(&fs));
    return 0;
}
