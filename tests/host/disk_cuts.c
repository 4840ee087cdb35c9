/* SPDX-License-Identifier: MIT */
/*
 * disk_cuts.c - user/disk/ and littlefs on a model of a disk whose power is cut: arguments [disk_cuts, CUTS, SEED].
 *
 * The disk keeps what was written in an order of its own until it is flushed. At a cut each sector that was written
 * since is there or not, by chance. Before each cut some files are written, renamed, removed, put into folders; the cut
 * comes at a random write. Then the disk is mounted anew: its file system must be right (amalgam_disk_check()), each
 * file is what it was when its last change had returned, or, if the cut came into a change of it, what that would have
 * made of it. Ends with status 1 and the cut's number if not.
 */
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "dice.h"

#ifndef FLUSHES
#define FLUSHES 1 /* 0: the disk forgets to, for a test of this test */
#endif
#define BLOCKS  96u
#define SECTORS (BLOCKS * AMALGAM_DISK_BLOCK / BLOCKS_SECTOR)
#define FIRST   3u /* block of the disk where the file system begins */
#define FILES   12u
#define LONGEST 20000u

static uint8_t kept[SECTORS][BLOCKS_SECTOR]; /* for sure */
static uint8_t seen[SECTORS][BLOCKS_SECTOR]; /* what a read gets */
static bool pending[SECTORS];
static unsigned left; /* writes until the cut */
static bool off;

/* A file is absent (version 0), or its text follows from its name, its version and its length. */
struct state {
    unsigned version, length;
};
static struct state now[FILES], next[FILES]; /* when the last change had returned, and when the one under way has */
static struct amalgam_disk disk;
static unsigned cut_number;

static void fail(const char *what, int n)
{
    printf("cut %u: %s %d\n", cut_number, what, n);
    exit(1);
}

/* --- the disk ------------------------------------------------------------------------------------------------------
 */

static void cut(void)
{
    for (unsigned i = 0; i < SECTORS; i++) {
        if (pending[i] && roll(2))
            memcpy(kept[i], seen[i], BLOCKS_SECTOR);
        pending[i] = false;
    }
    memcpy(seen, kept, sizeof(seen));
    off = true;
}

static unsigned sector(uint64_t at, uint32_t n)
{
    if (at % BLOCKS_SECTOR || n % BLOCKS_SECTOR || n > AMALGAM_DISK_BLOCK || at < FIRST * AMALGAM_DISK_BLOCK ||
        at + n > (uint64_t)SECTORS * BLOCKS_SECTOR)
        fail("not on its blocks:", (int)(at / BLOCKS_SECTOR));
    return (unsigned)(at / BLOCKS_SECTOR);
}

static int read_blocks(void *driver, uint64_t at, void *to, uint32_t n)
{
    unsigned i = sector(at, n);
    if (!off)
        memcpy(to, seen[i], n);
    return off ? -5 : 0;
}

static int write_blocks(void *driver, uint64_t at, const void *from, uint32_t n)
{
    unsigned i = sector(at, n);
    for (unsigned k = 0; k < n / BLOCKS_SECTOR; k++) {
        if (!off && !left--)
            cut();
        if (off)
            return -5;
        memcpy(seen[i + k], (const uint8_t *)from + k * BLOCKS_SECTOR, BLOCKS_SECTOR);
        pending[i + k] = true;
    }
    return 0;
}

static int flush_blocks(void *driver)
{
    for (unsigned i = 0; FLUSHES && i < SECTORS && !off; i++) {
        if (pending[i])
            memcpy(kept[i], seen[i], BLOCKS_SECTOR);
        pending[i] = false;
    }
    return off ? -5 : 0;
}

static const struct blocks_driver by = { read_blocks, write_blocks, flush_blocks };

/* --- files -------------------------------------------------------------------------------------------------------- */

static const char *name_of(unsigned i)
{
    static char name[20];
    snprintf(name, sizeof(name), i % 3 ? "f%u" : "d/f%u", i);
    return name;
}

/* What a file's text is: renamed, it keeps that. */
static uint8_t byte_of(struct state s, unsigned at) { return (uint8_t)(s.version * 31 + at * 7 + at / 256); }

static int write_file(lfs_t *fs, const char *name, struct state s)
{
    static uint8_t text[LONGEST];
    lfs_file_t f;
    int err = lfs_file_open(fs, &f, name, LFS_O_WRONLY | LFS_O_CREAT | LFS_O_TRUNC);
    if (err)
        return err;
    for (unsigned i = 0; i < s.length; i++)
        text[i] = byte_of(s, i);
    lfs_ssize_t n = lfs_file_write(fs, &f, text, s.length);
    int closed = lfs_file_close(fs, &f);
    return n < 0 ? (int)n : closed;
}

static bool is(lfs_t *fs, const char *name, struct state s)
{
    static uint8_t text[LONGEST + 1];
    lfs_file_t f;
    int err = lfs_file_open(fs, &f, name, LFS_O_RDONLY);
    if (err == LFS_ERR_NOENT)
        return !s.version;
    if (err)
        fail(name, err);
    lfs_ssize_t n = lfs_file_read(fs, &f, text, sizeof(text));
    lfs_file_close(fs, &f);
    if (n < 0)
        fail(name, (int)n);
    for (unsigned i = 0; i < (unsigned)n; i++)
        if (text[i] != byte_of(s, i))
            return false;
    return s.version && (unsigned)n == s.length;
}

/* One change. Returns littlefs' error. */
static int change(lfs_t *fs)
{
    static unsigned version;
    char from[20];
    unsigned i = roll(FILES), j = roll(FILES);
    memcpy(next, now, sizeof(next));
    strcpy(from, name_of(i));
    switch (now[i].version ? roll(4) : 0) {
    case 2:
        next[j] = now[i];
        if (i != j)
            next[i] = (struct state){ 0 };
        return lfs_rename(fs, from, name_of(j));
    case 3: next[i] = (struct state){ 0 }; return lfs_remove(fs, from);
    default:
        next[i] = (struct state){ ++version, roll(2) ? roll(200) : roll(LONGEST) };
        return write_file(fs, from, next[i]);
    }
}

/* Change files until the cut, or until there were enough changes. */
static void work(lfs_t *fs)
{
    for (unsigned n = 0; n < 40; n++) {
        int err = change(fs);
        if (off)
            return;
        if (err)
            fail("error of a change", err);
        memcpy(now, next, sizeof(now));
    }
    cut();
}

/* A change is there as a whole or not at all; a file that is made may also be there, and empty. */
static void look(lfs_t *fs)
{
    static struct state made[FILES];
    bool old = true, new = true, empty = true;
    int err = amalgam_disk_check(fs);
    if (err)
        fail("the check said", err);
    for (unsigned i = 0; i < FILES; i++) {
        old &= is(fs, name_of(i), now[i]);
        new &= is(fs, name_of(i), next[i]);
        made[i] = now[i].version ? now[i] : (struct state){ next[i].version, 0 };
        empty &= is(fs, name_of(i), made[i]);
    }
    if (!old && !new && !empty)
        fail("neither as before nor as after the change", 0);
    memcpy(now, old ? now : new ? next : made, sizeof(now));
    memcpy(next, now, sizeof(next));
}

int main(int argc, char **argv)
{
    unsigned cuts = argc > 1 ? (unsigned)atoi(argv[1]) : 200, within = 0;
    lfs_t fs;
    dice = argc > 2 ? (uint64_t)atoi(argv[2]) : 1;
    disk = (struct amalgam_disk){ .by = &by, .first = FIRST, .blocks = BLOCKS - FIRST };
    blocks_configure(&disk);
    left = ~0u;
    if (lfs_format(&fs, &disk.config) || amalgam_disk_mount(&fs, &disk) || lfs_mkdir(&fs, "d") || lfs_unmount(&fs))
        fail("no file system", 0);
    for (cut_number = 1; cut_number <= cuts; cut_number++) {
        off = false;
        left = roll(300);
        int err = amalgam_disk_mount(&fs, &disk);
        if (!err) {
            work(&fs);
            within += left == ~0u;
            lfs_unmount(&fs);
        }
        off = false;
        left = ~0u;
        err = amalgam_disk_mount(&fs, &disk);
        if (err)
            fail("it is not mounted:", err);
        look(&fs);
        lfs_unmount(&fs);
    }
    printf("disk_cuts: %u cuts, %u of them at a write\n", cuts, within);
    return within < cuts / 2;
}
