/* SPDX-License-Identifier: MIT */
/*
 * disk_tree.c - the tree of a littlefs (user/disk/tree.h) and the one in memory (user/files) answer random operations
 * alike: arguments [disk_tree, OPERATIONS, SEED]. Now and then the disk is mounted anew; then each folder and each file
 * must be what the one in memory is. What is alike by design no more: a file that is open is not removed (EBUSY).
 * Ends with status 1 and the operation's number if not.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "dice.h"
#include "tree.h"

#define BLOCKS 4096u
#include "disk_memory.h"

#define SLOTS   12u
#define LONGEST 20000u
#define ANEW    400u /* operations */

static struct amalgam_disk disk;
static lfs_t lfs;
static struct disk_tree on_disk;
static struct fs in_memory;
static struct fs_account client = { .most = SLOTS };
static unsigned operation, busy;

/* What both have found. */
static struct slot {
    struct fs_node *memory, *disk;
    bool opened;
} slots[SLOTS];

static const struct p9_tree *const a = &p9_memory, *const b = &disk_tree_calls;

static uint64_t now(void) { return 7; }

static void same(const char *what, long long memory, long long on)
{
    if (memory == on)
        return;
    printf("operation %u: %s: %lld in memory, %lld on the disk\n", operation, what, memory, on);
    exit(1);
}

static const char *name(void)
{
    static const char *const all[] = { "a", "b", "c", "dd", "ee", "a", "b", "a name that is longer than others are",
                                       ".", ".." };
    return all[roll(roll(4) ? 8 : 10)];
}

static void let_go(struct slot *s)
{
    if (s->opened)
        same("end", 0, b->end(&on_disk.fs, s->disk));
    a->release(s->memory);
    b->release(s->disk);
    *s = (struct slot){ 0 };
}

/* Folders of both, from the roots on. */
static struct slot *folder(void)
{
    static struct slot root;
    root = (struct slot){ in_memory.root, on_disk.fs.root, false };
    struct slot *s = &slots[roll(SLOTS)];
    return s->memory && a->is_folder(s->memory) ? s : &root;
}

static void compare_stat(const struct slot *s)
{
    struct fs_stat x, y;
    a->describe(s->memory, &x);
    b->describe(s->disk, &y);
    same("kind", x.mode & S_IFMT, y.mode & S_IFMT);
    same("size", S_ISDIR(x.mode) ? 0 : (long long)x.size, (long long)y.size);
    if (!S_ISDIR(x.mode))
        same("mode", x.mode, y.mode);
}

/* Nobody has open what has lost its name. */
static void drop_the_gone(void)
{
    for (struct slot *s = slots; s < slots + SLOTS; s++) {
        struct fs_stat x, y;
        if (!s->memory)
            continue;
        a->describe(s->memory, &x);
        b->describe(s->disk, &y);
        same("links", x.links != 0, y.links != 0);
        if (!x.links)
            let_go(s);
        else
            compare_stat(s);
    }
}

static void take(struct slot *s, const struct slot *from, const char *of)
{
    struct slot found = { 0 };
    int x = a->find(&in_memory, from->memory, of, 0, &found.memory);
    int y = b->find(&on_disk.fs, from->disk, of, 0, &found.disk);
    same("find", x, y);
    if (x)
        return;
    if (s->memory)
        let_go(s);
    *s = found;
}

static void open_name(struct slot *s, const struct slot *from, const char *of)
{
    struct slot found = { .opened = true };
    if (!strcmp(of, ".") || !strcmp(of, ".."))
        return; /* who serves refuses these */
    unsigned flags = FS_CREATE | FS_WRITE | (roll(3) ? 0 : FS_EXCLUSIVE) | (roll(3) ? 0 : FS_TRUNCATE);
    if (client.used == client.most)
        return;
    int y = b->open(&on_disk.fs, from->disk, of, flags, 0640, &found.disk);
    int x = a->open(&in_memory, from->memory, of, flags, 0640, &found.memory);
    same("open", x, y);
    if (x)
        return;
    same("begin", 0, b->begin(&on_disk.fs, found.disk));
    if (s->memory)
        let_go(s);
    *s = found;
}

static void change(struct slot *s)
{
    static uint8_t some[2][LONGEST];
    uint64_t at = roll(3) ? roll(3000) : roll(LONGEST);
    size_t n = roll(3) ? roll(600) : roll(LONGEST);
    if (!s->opened)
        return;
    switch (roll(5)) {
    case 0:
    case 1:
        memset(some[0], (int)roll(256), n);
        same("write", a->write(&in_memory, s->memory, at, some[0], n), b->write(&on_disk.fs, s->disk, at, some[0], n));
        break;
    case 2: same("truncate", a->truncate(&in_memory, s->memory, at), b->truncate(&on_disk.fs, s->disk, at)); break;
    case 3: same("sync", 0, b->sync(&on_disk.fs, s->disk)); break;
    default:
        same("read", a->read(&in_memory, s->memory, at, some[0], n), b->read(&on_disk.fs, s->disk, at, some[1], n));
        if (a->read(&in_memory, s->memory, at, some[0], n) > 0)
            same("bytes", 0, memcmp(some[0], some[1], (size_t)a->read(&in_memory, s->memory, at, some[0], n)));
        break;
    }
}

/* Returns whether somebody has open what a name leads to. */
static bool is_open(const struct slot *from, const char *of)
{
    struct fs_node *node;
    bool open = false;
    if (a->find(&in_memory, from->memory, of, 0, &node))
        return false;
    for (const struct slot *s = slots; s < slots + SLOTS; s++)
        open |= s->opened && s->memory == node;
    a->release(node);
    return open;
}

static void remove_name(const struct slot *from, const char *of)
{
    bool is_folder = roll(2);
    if (*of == '.')
        return;
    int y = is_folder ? b->remove_folder(&on_disk.fs, from->disk, of) : b->unlink(&on_disk.fs, from->disk, of);
    if (y == -EBUSY) {
        same("busy", is_open(from, of), true);
        busy++;
        return;
    }
    int x = is_folder ? a->remove_folder(&in_memory, from->memory, of) : a->unlink(&in_memory, from->memory, of);
    same(is_folder ? "remove folder" : "unlink", x, y);
}

static void rename_name(const struct slot *from, const char *old, const struct slot *to, const char *new)
{
    if (*old == '.' || *new == '.')
        return;
    int y = b->rename(&on_disk.fs, from->disk, old, to->disk, new);
    if (y == -EBUSY) {
        same("busy", is_open(to, new), true);
        busy++;
        return;
    }
    same("rename", a->rename(&in_memory, from->memory, old, to->memory, new), y);
}

/* --- whole trees ------------------------------------------------------------------------------------------------- */

static int by_name(const void *x, const void *y)
{
    return strcmp(((const struct fs_entry *)x)->name, ((const struct fs_entry *)y)->name);
}

static unsigned entries(const struct p9_tree *t, struct fs *fs, struct fs_node *node, struct fs_entry *to)
{
    struct fs_place place = { 0 };
    unsigned n = 0;
    int more;
    while ((more = t->next(fs, node, &place, &to[n])) > 0) {
        n++;
        if (!roll(8) && place.number > 1 && t == b) { /* who had no room for an entry asks for it again */
            struct fs_place again = { place.number - 1 };
            same("again", 1, t->next(fs, node, &again, &to[n]));
            same("the same", 0, strcmp(to[n].name, to[n - 1].name));
        }
    }
    same("next", 0, more);
    if (n && t == b) { /* the last one, too */
        struct fs_place again = { place.number - 1 };
        same("again", 1, t->next(fs, node, &again, &to[n]));
        same("the same", 0, strcmp(to[n].name, to[n - 1].name));
    }
    qsort(to, n, sizeof *to, by_name);
    return n;
}

static void compare(struct fs_node *x, struct fs_node *y)
{
    struct fs_entry of_x[24], of_y[24];
    unsigned n = entries(a, &in_memory, x, of_x);
    same("names", n, entries(b, &on_disk.fs, y, of_y));
    for (unsigned i = 0; i < n; i++) {
        struct slot s = { 0 };
        static uint8_t some[2][2 * LONGEST];
        same("name", 0, strcmp(of_x[i].name, of_y[i].name));
        same("entry's kind", of_x[i].mode & S_IFMT, of_y[i].mode & S_IFMT);
        if (*of_x[i].name == '.')
            continue;
        same("found", a->find(&in_memory, x, of_x[i].name, 0, &s.memory),
             b->find(&on_disk.fs, y, of_y[i].name, 0, &s.disk));
        compare_stat(&s);
        if (a->is_folder(s.memory)) {
            compare(s.memory, s.disk);
        } else {
            same("begin", 0, b->begin(&on_disk.fs, s.disk));
            s.opened = true;
            int64_t got = a->read(&in_memory, s.memory, 0, some[0], sizeof some[0]);
            same("all", got, b->read(&on_disk.fs, s.disk, 0, some[1], sizeof some[1]));
            same("contents", 0, memcmp(some[0], some[1], (size_t)got));
        }
        let_go(&s);
    }
}

static void mount_anew(void)
{
    for (struct slot *s = slots; s < slots + SLOTS; s++)
        if (s->memory)
            let_go(s);
    same("open files", 0, (long long)client.used);
    disk_tree_end(&on_disk);
    same("nodes", 0, on_disk.nodes != NULL);
    same("unmount", 0, lfs_unmount(&lfs));
    same("mount", 0, amalgam_disk_mount(&lfs, &disk));
    same("check", 0, amalgam_disk_check(&lfs));
    same("begin", 0, disk_tree_begin(&on_disk, &lfs, now));
    on_disk.fs.payer = &client;
    compare(in_memory.root, on_disk.fs.root);
}

static void step(void)
{
    struct slot *s = &slots[roll(SLOTS)];
    switch (roll(12)) {
    case 0:
    case 1: take(s, folder(), name()); break;
    case 2:
    case 3: open_name(s, folder(), name()); break;
    case 4: {
        const char *of = name();
        const struct slot *from = folder();
        if (*of != '.')
            same("make folder", a->make_folder(&in_memory, from->memory, of, 0755),
                 b->make_folder(&on_disk.fs, from->disk, of, 0755));
        break;
    }
    case 5: remove_name(folder(), name()); break;
    case 6: {
        const struct slot from = *folder();
        const char *old = name();
        rename_name(&from, old, folder(), name());
        break;
    }
    case 7:
        if (s->memory)
            let_go(s);
        break;
    default:
        if (s->memory)
            change(s);
    }
    drop_the_gone();
}

int main(int argc, char **argv)
{
    unsigned operations = argc > 1 ? (unsigned)atoi(argv[1]) : 2000;
    dice = argc > 2 ? (uint64_t)atoi(argv[2]) : 1;
    disk = (struct amalgam_disk){ .by = &by, .blocks = BLOCKS };
    blocks_configure(&disk);
    same("fs", 0, fs_begin(&in_memory, NULL, now));
    same("format", 0, lfs_format(&lfs, &disk.config));
    same("mount", 0, amalgam_disk_mount(&lfs, &disk));
    same("begin", 0, disk_tree_begin(&on_disk, &lfs, now));
    on_disk.fs.payer = &client;
    for (operation = 1; operation <= operations; operation++) {
        step();
        if (operation % ANEW == 0)
            mount_anew();
    }
    mount_anew();
    disk_tree_end(&on_disk);
    lfs_unmount(&lfs);
    printf("%u operations, %u found a file open\n", operations, busy);
    return busy < operations / 1000;
}
