/* SPDX-License-Identifier: MIT */
/*
 * devices.c - the devices of /dev, with Linux' numbers: null, zero, full, random and urandom, which are one, tty and
 * console, which are the process's console. They are nodes of the tree like any other.
 */
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "files.h"

#define NULL_DEVICE DEVICE(1, 3)
#define ZERO        DEVICE(1, 5)
#define FULL        DEVICE(1, 7)
#define RANDOM      DEVICE(1, 8)
#define URANDOM     DEVICE(1, 9)
#define TTY         DEVICE(5, 0)

static int64_t read_nothing(struct open_file *f, uint64_t at, void *to, size_t n)
{
    (void)f, (void)at, (void)to, (void)n;
    return 0;
}

static int64_t read_zeros(struct open_file *f, uint64_t at, void *to, size_t n)
{
    (void)f, (void)at;
    memset(to, 0, n);
    return (int64_t)n;
}

/* Without a source: -ENOSYS, as getrandom(). */
static int64_t read_random(struct open_file *f, uint64_t at, void *to, size_t n)
{
    (void)f, (void)at;
    ssize_t done = getrandom(to, n, 0);
    return done < 0 ? -errno : done;
}

/* Taken, and gone. */
static int64_t write_away(struct open_file *f, uint64_t *at, const void *from, size_t n)
{
    (void)f, (void)from;
    *at += n;
    return (int64_t)n;
}

static int64_t write_full(struct open_file *f, uint64_t *at, const void *from, size_t n)
{
    (void)f, (void)at, (void)from;
    return n ? -ENOSPC : 0;
}

#define KIND(reads, writes, ...)                                                                                       \
    {                                                                                                                  \
        .read = (reads), .write = (writes), .describe = files_describe_node, .end = files_end_node, __VA_ARGS__        \
    }

static const struct device {
    char name[8];
    uint16_t number, mode;
    struct file_kind kind;
} devices[] = {
    { "null", NULL_DEVICE, 0666, KIND(read_nothing, write_away, .seekable = true) },
    { "zero", ZERO, 0666, KIND(read_zeros, write_away, .seekable = true) },
    { "full", FULL, 0666, KIND(read_zeros, write_full, .seekable = true) },
    { "random", RANDOM, 0666, KIND(read_random, write_away, .seekable = true) },
    { "urandom", URANDOM, 0666, KIND(read_random, write_away, .seekable = true) },
    { "tty", TTY, 0666, KIND(console_read, console_text, .terminal = true, .poll = console_poll) },
    { "console", DEVICE_CONSOLE, 0600, KIND(console_read, console_text, .terminal = true, .poll = console_poll) },
};
#define DEVICES (sizeof devices / sizeof *devices)

const struct file_kind *device_kind(uint32_t number)
{
    for (size_t i = 0; i < DEVICES; i++)
        if (devices[i].number == number)
            return &devices[i].kind;
    return NULL;
}

/* What the archive has of the same name stays. */
int devices_make(struct fs *fs)
{
    char path[sizeof "/dev/" + sizeof devices->name] = "/dev/";
    int error = fs_make_folder(fs, fs->root, "/dev", 0755);
    for (size_t i = 0; i < DEVICES && error != -ENOMEM && error != -ENOSPC; i++) {
        strcpy(path + strlen("/dev/"), devices[i].name);
        error = fs_make_device(fs, fs->root, path, devices[i].mode, devices[i].number);
    }
    return error == -ENOMEM || error == -ENOSPC ? -ENOMEM : 0;
}
