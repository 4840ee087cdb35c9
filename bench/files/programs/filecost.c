/* SPDX-License-Identifier: MIT */
/*
 * filecost.c - measures what files cost a program, for bench/files, in ticks of the time stamp counter, which under
 * icount are instructions. It is plain POSIX, so that Linux runs it, too. Prints lines `bench NAME MINIMUM MEDIAN
 * SAMPLES`, as cost.c does.
 *   filecost         files of the program's own tree, or of Linux' tmpfs
 *   filecost server  of a server at tunnel 0; only these two on the core
 */
#ifndef __linux__
#include <amalgam/mount.h>
#endif
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../include/ticks.h"

#define WARM    8
#define SAMPLES 1000
#define BLOCK   4096
#define BLOCKS  16

/* Three names lead to each file. */
#define FOLDER "/cost/deep/"

static uint64_t sample[SAMPLES], overhead;
static char block[BLOCK];

static void report(const char *name)
{
    qsort(sample, SAMPLES, sizeof(*sample), by_size);
    printf("bench %s %llu %llu %u\n", name, (unsigned long long)(sample[0] - overhead),
           (unsigned long long)(sample[SAMPLES / 2] - overhead), SAMPLES);
}

static void must(int right, const char *what)
{
    if (right)
        return;
    perror(what);
    exit(1);
}

/* Each action is 1 if it did what it should. */
#define MEASURE(name, action)                                                                                          \
    do {                                                                                                               \
        for (int i = -WARM; i < SAMPLES; i++) {                                                                        \
            uint64_t t0 = ticks();                                                                                     \
            int right = (action);                                                                                      \
            uint64_t t1 = ticks();                                                                                     \
            must(right, name);                                                                                         \
            if (i >= 0)                                                                                                \
                sample[i] = t1 - t0;                                                                                   \
        }                                                                                                              \
        report(name);                                                                                                  \
    } while (0)

static int open_and_close(void)
{
    int f = open(FOLDER "file", O_RDONLY);
    return f >= 0 && close(f) == 0;
}

static int create_and_unlink(void)
{
    int f = open(FOLDER "other", O_CREAT | O_EXCL | O_WRONLY, 0600);
    return f >= 0 && close(f) == 0 && unlink(FOLDER "other") == 0;
}

/* The folder that is measured in. */
static void begin(const char *where)
{
    must(mkdir("/cost", 0700) == 0, "mkdir");
#ifdef __linux__
    (void)where;
#else
    must(!*where || amalgam_mount(0, "/cost") == 0, "amalgam_mount");
#endif
    must(mkdir("/cost/deep", 0700) == 0, "mkdir");
}

int main(int argc, char **argv)
{
    struct stat s;
    MEASURE("rdtsc-pair", 1);
    overhead = sample[0];
    begin(argc > 1 ? argv[1] : "");
    int f = open(FOLDER "file", O_CREAT | O_RDWR, 0600);
    must(f >= 0, "open");
    memset(block, 'a', BLOCK);
    for (int i = 0; i < BLOCKS; i++)
        must(write(f, block, BLOCK) == BLOCK, "write");

    MEASURE("read-4k", pread(f, block, BLOCK, (i & (BLOCKS - 1)) * BLOCK) == BLOCK);
    MEASURE("write-4k", pwrite(f, block, BLOCK, (i & (BLOCKS - 1)) * BLOCK) == BLOCK);
    MEASURE("read-1", pread(f, block, 1, 1) == 1);
    MEASURE("open-close", open_and_close());
    MEASURE("stat", stat(FOLDER "file", &s) == 0);
    MEASURE("create-unlink", create_and_unlink());
    puts("filecost: done");
    return 0;
}
