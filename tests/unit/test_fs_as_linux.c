/* SPDX-License-Identifier: MIT */
/*
 * test_fs_as_linux.c - random operations on the file system of user/files, and the same ones on a folder of the host's,
 * in memory where it has one: each has the same result, and the trees are the same. FS_STEPS and FS_SEED in the
 * environment say how many, and which.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STEPS   60000
#define DEEP    200 /* folders that both trees begin with, one in the other: no path leads out of them */
#define OPEN    6
#define LARGEST 20000
#define FAR     ((uint64_t)1 << 43)

static struct fs fs;
static struct fs_node *base; /* the lowest of these folders */
static int host = -1;        /* the host's */
static uint64_t state;
static uint64_t clock_now(void) { return 1; }

static unsigned pick(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

/* What the paths of a step are, for messages. */
static char path[2][1200];
static const char *what;

static void random_path(char *to)
{
    static const char *const name[] = { "a", "b", "c", "d", "a", "b", "c", "d", ".", ".." };
    static char long_name[260];
    memset(long_name, 'x', 256);
    unsigned n = pick(40) ? 1 + pick(4) : 0;
    *to = '\0';
    for (unsigned i = 0; i < n; i++) {
        strcat(to, pick(60) ? name[pick(10)] : long_name);
        if (i + 1 < n || !pick(6))
            strcat(to, pick(8) ? "/" : "//");
    }
}

static int64_t answer(int64_t result) { return result < 0 ? -errno : result; }

static void same(int64_t ours, int64_t linux_)
{
    if (ours != linux_)
        fail_msg("%s(\"%s\", \"%s\"): %lld (%s), the host says %lld (%s)", what, path[0], path[1], (long long)ours,
                 ours < 0 ? strerror((int)-ours) : "", (long long)linux_, linux_ < 0 ? strerror((int)-linux_) : "");
}

/* --- open files --------------------------------------------------------------------------------------------------- */

static struct {
    struct fs_node *node; /* NULL: none */
    int fd;
    bool writes;
} file[OPEN];

static void close_one(unsigned i)
{
    if (!file[i].node)
        return;
    fs_release(file[i].node);
    close(file[i].fd);
    file[i].node = NULL;
}

static void step_open(void)
{
    unsigned i = pick(OPEN), chosen = pick(64);
    int how = chosen & 1 ? O_RDWR : O_RDONLY;
    unsigned flags = (chosen & 1 ? FS_WRITE : 0) | (chosen & 2 ? FS_CREATE : 0) | (chosen & 4 ? FS_EXCLUSIVE : 0) |
                     (chosen & 8 ? FS_TRUNCATE : 0) | (chosen & 16 ? 0 : FS_FOLLOW);
    how |= (chosen & 2 ? O_CREAT : 0) | (chosen & 4 ? O_EXCL : 0) | (chosen & 8 ? O_TRUNC : 0) |
           (chosen & 16 ? O_NOFOLLOW : 0);
    if (chosen & 32 && !(chosen & 2)) {
        flags |= FS_FOLDER;
        how |= O_DIRECTORY;
    }
    close_one(i);
    what = "open";
    int ours = fs_open(&fs, base, path[0], flags, 0644, &file[i].node);
    int64_t linux_ = answer(openat(host, path[0], how, 0644));
    file[i].fd = (int)linux_;
    file[i].writes = chosen & 1;
    if (ours)
        file[i].node = NULL;
    same(ours, linux_ < 0 ? linux_ : 0);
}

static uint64_t random_place(void) { return pick(30) ? pick(LARGEST) : FAR + pick(LARGEST); }

static void step_write(void)
{
    static uint8_t bytes[LARGEST];
    unsigned i = pick(OPEN);
    size_t n = pick(3) ? pick(200) : pick(LARGEST);
    uint64_t at = random_place();
    if (!file[i].node || !file[i].writes)
        return;
    for (size_t b = 0; b < n; b++)
        bytes[b] = (uint8_t)pick(256);
    what = "write";
    same(fs_write(&fs, file[i].node, at, bytes, n), answer(pwrite(file[i].fd, bytes, n, (off_t)at)));
}

static void step_read(void)
{
    static uint8_t ours[LARGEST], linux_[LARGEST];
    unsigned i = pick(OPEN);
    size_t n = pick(LARGEST);
    uint64_t at = random_place();
    if (!file[i].node)
        return;
    what = "read";
    int64_t got = fs_read(&fs, file[i].node, at, ours, n);
    same(got, answer(pread(file[i].fd, linux_, n, (off_t)at)));
    if (got > 0)
        assert_memory_equal(ours, linux_, (size_t)got);
}

static void step_truncate(void)
{
    unsigned i = pick(OPEN);
    uint64_t size = random_place();
    if (!file[i].node || !file[i].writes)
        return;
    what = "ftruncate";
    same(fs_truncate(&fs, file[i].node, size), answer(ftruncate(file[i].fd, (off_t)size)));
}

/* --- names -------------------------------------------------------------------------------------------------------- */

static void step_names(void)
{
    const char *a = path[0], *b = path[1];
    switch (pick(8)) {
    case 0:
        what = "mkdir";
        same(fs_make_folder(&fs, base, a, 0755), answer(mkdirat(host, a, 0755)));
        break;
    case 1:
        what = "symlink";
        same(fs_make_symlink(&fs, a, base, b), answer(symlinkat(a, host, b)));
        break;
    case 2:
        what = "link";
        same(fs_link(&fs, base, a, 0, base, b), answer(linkat(host, a, host, b, 0)));
        break;
    case 3:
        what = "linkat";
        same(fs_link(&fs, base, a, FS_FOLLOW, base, b), answer(linkat(host, a, host, b, AT_SYMLINK_FOLLOW)));
        break;
    case 4:
        what = "unlink";
        same(fs_unlink(&fs, base, a), answer(unlinkat(host, a, 0)));
        break;
    case 5:
        what = "rmdir";
        same(fs_remove_folder(&fs, base, a), answer(unlinkat(host, a, AT_REMOVEDIR)));
        break;
    default: what = "rename"; same(fs_rename(&fs, base, a, base, b), answer(renameat(host, a, host, b)));
    }
}

static void step_link_target(void)
{
    struct fs_node *node;
    char ours[1300], linux_[1300];
    size_t n = pick(20) ? sizeof ours : 1 + pick(5);
    what = "readlink";
    int64_t got = fs_find(&fs, base, path[0], 0, &node);
    if (!got) {
        got = fs_read_link(node, ours, n);
        fs_release(node);
    }
    same(got, answer(readlinkat(host, path[0], linux_, n)));
    if (got > 0)
        assert_memory_equal(ours, linux_, (size_t)got);
}

static void step_stat(bool follows)
{
    struct fs_node *node;
    struct fs_stat ours;
    struct stat linux_;
    what = follows ? "stat" : "lstat";
    int found = fs_find(&fs, base, path[0], follows ? FS_FOLLOW : 0, &node);
    same(found, answer(fstatat(host, path[0], &linux_, follows ? 0 : AT_SYMLINK_NOFOLLOW)));
    if (found)
        return;
    fs_describe(node, &ours);
    fs_release(node);
    assert_int_equal(ours.mode & S_IFMT, linux_.st_mode & S_IFMT);
    assert_int_equal(ours.links, linux_.st_nlink);
    if (!S_ISDIR(ours.mode))
        assert_int_equal(ours.size, linux_.st_size);
}

static void step(void)
{
    random_path(path[0]);
    random_path(path[1]);
    switch (pick(12)) {
    case 0: step_open(); break;
    case 1: step_open(); break;
    case 2: step_write(); break;
    case 3: step_read(); break;
    case 4: step_truncate(); break;
    case 5: step_link_target(); break;
    case 6: step_stat(true); break;
    case 7: step_stat(false); break;
    default: step_names();
    }
}

/* --- whole trees -------------------------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

static void same_files(struct fs_node *ours, int folder, const char *name)
{
    static uint8_t a[2 * LARGEST], b[2 * LARGEST];
    int fd = openat(folder, name, O_RDONLY);
    assert_true(fd >= 0);
    for (unsigned part = 0; part < 2; part++) {
        int64_t n = fs_read(&fs, ours, part * FAR, a, sizeof a);
        assert_int_equal(n, pread(fd, b, sizeof b, (off_t)(part * FAR)));
        assert_memory_equal(a, b, (size_t)n);
    }
    close(fd);
}

static unsigned same_trees(struct fs_node *ours, int folder)
{
    char name[64][256], theirs[64][256];
    unsigned n = 0, m = 0, all = 0;
    struct fs_place place = { 0 };
    struct fs_entry entry;
    while (fs_next(&fs, ours, &place, &entry) == 1)
        strcpy(name[n++], entry.name);
    DIR *dir = fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY));
    for (struct dirent *e; (e = readdir(dir));)
        strcpy(theirs[m++], e->d_name);
    closedir(dir);
    qsort(name, n, sizeof *name, by_name);
    qsort(theirs, m, sizeof *theirs, by_name);
    assert_int_equal(n, m);
    for (unsigned i = 0; i < n; i++) {
        struct fs_node *node;
        struct fs_stat s;
        struct stat linux_;
        assert_string_equal(name[i], theirs[i]);
        assert_int_equal(fs_find(&fs, ours, name[i], 0, &node), 0);
        fs_describe(node, &s);
        assert_int_equal(fstatat(folder, name[i], &linux_, AT_SYMLINK_NOFOLLOW), 0);
        assert_int_equal(s.mode, linux_.st_mode);
        assert_int_equal(s.links, linux_.st_nlink);
        if (S_ISREG(s.mode)) {
            assert_int_equal(s.size, linux_.st_size);
            same_files(node, folder, name[i]);
        }
        if (S_ISDIR(s.mode) && strcmp(name[i], ".") && strcmp(name[i], "..")) {
            int below = openat(folder, name[i], O_RDONLY | O_DIRECTORY);
            all += 1 + same_trees(node, below);
            close(below);
        }
        fs_release(node);
    }
    return all + n;
}

static void remove_all(int folder)
{
    DIR *dir = fdopendir(dup(folder));
    for (struct dirent *e; (e = readdir(dir));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        if (!unlinkat(folder, e->d_name, 0))
            continue;
        int below = openat(folder, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        remove_all(below);
        close(below);
        unlinkat(folder, e->d_name, AT_REMOVEDIR);
    }
    closedir(dir);
}

static void test_random_operations_answer_as_linux_does(void **unused)
{
    const char *steps = getenv("FS_STEPS"), *seed = getenv("FS_SEED");
    char top[] = "/dev/shm/amalgam-fs-XXXXXX", elsewhere[] = "/tmp/amalgam-fs-XXXXXX";
    unsigned most = 0;
    char *folder = mkdtemp(top);
    if (!folder)
        folder = mkdtemp(elsewhere);
    assert_non_null(folder);
    int first = open(folder, O_RDONLY | O_DIRECTORY);
    state = seed ? strtoull(seed, NULL, 0) : 1;
    umask(022);
    assert_int_equal(fs_begin(&fs, NULL, clock_now), 0);
    base = fs.root;
    host = dup(first);
    for (unsigned i = 0; i < DEEP; i++) {
        assert_int_equal(fs_make_folder(&fs, base, "n", 0755) | mkdirat(host, "n", 0755), 0);
        assert_int_equal(fs_find(&fs, base, "n", 0, &base), 0);
        fs_release(base);
        int next = openat(host, "n", O_RDONLY | O_DIRECTORY);
        close(host);
        host = next;
    }
    for (unsigned long i = steps ? strtoul(steps, NULL, 0) : STEPS; i; i--) {
        step();
        if (i % 500 == 0) {
            unsigned n = same_trees(base, host);
            most = n > most ? n : most;
        }
    }
    assert_true(most > 30); /* there was something to compare */
    for (unsigned i = 0; i < OPEN; i++)
        close_one(i);
    fs_end(&fs);
    close(host);
    remove_all(first);
    close(first);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_random_operations_answer_as_linux_does) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
