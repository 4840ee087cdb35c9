/* SPDX-License-Identifier: MIT */
/*
 * disk_lies.c - user/disk and littlefs on a disk whose contents are wrong: arguments [disk_lies, DISKS, SEED]. A file
 * system with folders and files is damaged: bytes, words, blocks in each other's place, blocks of another moment; of
 * some disks reads and writes fail now and then. It is mounted, checked, walked through and written to, as a
 * server does (tree.h). Each call ends: it reads no more than blocks_configure() permits; no memory but its own is
 * touched (ASan). What it answers is all the same. Ends with status 1 and the disk's number if not.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "blocks.h"
#include "dice.h"
#include "tree.h"

#define BLOCKS 32u
#define FILES  14u
#define MOST   30u /* names that are looked at on a disk */

static uint8_t good[BLOCKS][AMALGAM_DISK_BLOCK], early[BLOCKS][AMALGAM_DISK_BLOCK], bytes[BLOCKS][AMALGAM_DISK_BLOCK];
static struct amalgam_disk disk;
static lfs_t lfs;
static struct disk_tree tree;
static struct fs_account client;
static unsigned number, left, mounted, walked, used;
static bool fails; /* reads and writes do, now and then */

static unsigned ended;
static jmp_buf end;

_Noreturn void disk_impossible(void)
{
    ended++;
    longjmp(end, 1);
}

static const struct p9_tree *const calls = &disk_tree_calls;

static uint8_t *place(uint64_t at, uint32_t n)
{
    if (at + n > sizeof bytes) {
        printf("disk %u: beyond the disk\n", number);
        exit(1);
    }
    return (uint8_t *)bytes + at;
}

static int read_blocks(void *driver, uint64_t at, void *to, uint32_t n)
{
    memcpy(to, place(at, n), n);
    return fails && !roll(500) ? -EIO : 0;
}

static int write_blocks(void *driver, uint64_t at, const void *from, uint32_t n)
{
    memcpy(place(at, n), from, n);
    return fails && !roll(100) ? -EIO : 0;
}

static int flush_blocks(void *driver) { return 0; }

static const struct blocks_driver by = { read_blocks, write_blocks, flush_blocks };

static uint64_t now(void) { return 7; }

/* --- a file system ----------------------------------------------------------------------------------------------- */

static void write_file(const char *path, unsigned n)
{
    static uint8_t some[8000];
    lfs_file_t f;
    memset(some, (int)n, sizeof some);
    if (lfs_file_open(&lfs, &f, path, LFS_O_WRONLY | LFS_O_CREAT) ||
        lfs_file_write(&lfs, &f, some, n) != (lfs_ssize_t)n || lfs_file_close(&lfs, &f))
        exit(2);
}

static void make(void)
{
    char path[32];
    if (lfs_format(&lfs, &disk.config) || lfs_mount(&lfs, &disk.config))
        exit(2);
    lfs_mkdir(&lfs, "/a");
    lfs_mkdir(&lfs, "/a/b");
    write_file("/a/large", 8000);
    memcpy(early, bytes, sizeof early);
    for (unsigned i = 0; i < FILES; i++) { /* a folder of more than a block */
        sprintf(path, "/a/file with a name %u", i);
        write_file(path, 300 + i);
    }
    write_file("/a/b/c", 3000);
    lfs_rename(&lfs, "/a/b/c", "/d");
    lfs_unmount(&lfs);
    memcpy(good, bytes, sizeof good);
}

static void damage(void)
{
    memcpy(bytes, good, sizeof bytes);
    for (unsigned n = 1 + roll(6); n; n--) {
        unsigned block = roll(3) ? roll(8) : roll(BLOCKS), at = roll(3) ? roll(256) : roll(AMALGAM_DISK_BLOCK - 4);
        switch (roll(5)) {
        case 0: bytes[block][at] ^= (uint8_t)(1u << roll(8)); break;
        case 1: bytes[block][at] = (uint8_t)roll(256); break;
        case 2: { /* a number of a block, or a large one */
            uint32_t word = roll(3) ? roll(BLOCKS) : roll(2) ? 0xffffffff : roll(1u << 30);
            memcpy(&bytes[block][at], &word, sizeof word);
            break;
        }
        case 3: memcpy(bytes[block], good[roll(BLOCKS)], AMALGAM_DISK_BLOCK); break;
        default: memcpy(bytes[block], early[roll(2) ? block : roll(BLOCKS)], AMALGAM_DISK_BLOCK); break;
        }
    }
}

/* --- its use ----------------------------------------------------------------------------------------------------- */

static void use_file(struct fs_node *node)
{
    static uint8_t some[5000];
    if (calls->begin(&tree.fs, node))
        return;
    used++;
    calls->read(&tree.fs, node, roll(3) ? 0 : roll(9000), some, sizeof some);
    if (!roll(3))
        calls->write(&tree.fs, node, roll(3) ? 0 : roll(9000), some, roll(sizeof some));
    if (!roll(6))
        calls->truncate(&tree.fs, node, roll(3000));
    calls->end(&tree.fs, node);
}

static void walk(struct fs_node *folder)
{
    struct fs_place place = { 0 };
    struct fs_entry e;
    while (left && calls->next(&tree.fs, folder, &place, &e) > 0) {
        struct fs_node *node;
        left--;
        walked++;
        if (*e.name == '.' || calls->find(&tree.fs, folder, e.name, 0, &node))
            continue;
        if (calls->is_folder(node))
            walk(node);
        else
            use_file(node);
        if (!roll(20))
            calls->unlink(&tree.fs, folder, e.name);
        if (!roll(20))
            calls->rename(&tree.fs, folder, e.name, tree.fs.root, "moved");
        calls->release(node);
    }
    if (!roll(4))
        calls->make_folder(&tree.fs, folder, "new", 0700);
}

static void use(void)
{
    if (!amalgam_disk_mount(&lfs, &disk)) {
        mounted++;
        amalgam_disk_check(&lfs);
        left = MOST;
        if (!disk_tree_begin(&tree, &lfs, now)) {
            client = (struct fs_account){ .most = 4 }; /* of a disk that ended the program something is open */
            tree.fs.payer = &client;
            walk(tree.fs.root);
            disk_tree_end(&tree);
        }
        lfs_unmount(&lfs);
    }
}

int main(int argc, char **argv)
{
    unsigned disks = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
    dice = argc > 2 ? (uint64_t)atoi(argv[2]) : 1;
    disk = (struct amalgam_disk){ .by = &by, .blocks = BLOCKS };
    blocks_configure(&disk);
    make();
    for (number = 1; number <= disks; number++) {
        damage();
        fails = !roll(4);
        if (!setjmp(end))
            use();
    }
    printf("%u disks, %u mounted, %u names found, %u files used, %u ended the program\n", disks, mounted, walked, used,
           ended);
    return mounted < disks / 10 || walked < disks || used < disks;
}
