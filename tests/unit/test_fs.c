/* SPDX-License-Identifier: MIT */
/* test_fs.c - the file system of user/files: archives, times, reading a folder that changes, and no memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <cpio.h>
#include <errno.h>
#include <fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static struct fs fs;
static uint64_t clock_at = 1;
static uint64_t now(void) { return clock_at; }

/* Allocations that succeed; negative: all do. */
static long allowed = -1;
void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__wrap_malloc(size_t n) { return allowed && allowed-- ? __real_malloc(n) : NULL; }
void *__wrap_calloc(size_t n, size_t size) { return allowed && allowed-- ? __real_calloc(n, size) : NULL; }

static int begin(void **state)
{
    allowed = -1;
    return fs_begin(&fs, NULL, now);
}

static int end(void **state)
{
    fs_end(&fs); /* the address sanitizer says what is left */
    return 0;
}

static struct fs_node *found(const char *path)
{
    struct fs_node *node = NULL;
    assert_int_equal(fs_find(&fs, fs.root, path, 0, &node), 0);
    fs_release(node); /* it has its name */
    return node;
}

static struct fs_node *file(const char *path, const char *text)
{
    struct fs_node *node;
    assert_int_equal(fs_open(&fs, fs.root, path, FS_CREATE | FS_WRITE, 0644, &node), 0);
    assert_int_equal(fs_write(&fs, node, 0, text, strlen(text)), strlen(text));
    fs_release(node);
    return node;
}

/* --- archives ---------------------------------------------------------------------------------------------------- */

static size_t entry(char *to, const char *name, unsigned mode, const char *text)
{
    bool special = S_ISCHR(mode); /* number 5:7 */
    int n = sprintf(to, "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x", 1, mode, 0, 0, 1, 77,
                    (unsigned)strlen(text), 0, 0, special ? 5 : 0, special ? 7 : 0, (unsigned)strlen(name) + 1, 0);
    size_t at = ((size_t)n + strlen(name) + 1 + 3) & ~(size_t)3;
    strcpy(to + n, name);
    memcpy(to + at, text, strlen(text));
    return (at + strlen(text) + 3) & ~(size_t)3;
}

static struct cpio archive(char *image)
{
    size_t n = entry(image, "./deep/er/file", S_IFREG | 0600, "contents");
    n += entry(image + n, "deep", S_IFDIR | 0700, "");
    n += entry(image + n, "link", S_IFLNK | 0777, "deep/er");
    n += entry(image + n, "link", S_IFREG | 0600, "a second one of the name");
    n += entry(image + n, "deep/er/file/below", S_IFREG | 0600, "a file is no folder");
    n += entry(image + n, "deep/../up", S_IFREG | 0600, "not a name");
    n += entry(image + n, "pipe", S_IFIFO | 0600, "");
    n += entry(image + n, "device", S_IFCHR | 0600, "");
    n += entry(image + n, "TRAILER!!!", 0, "");
    return (struct cpio){ (const uint8_t *)image, n };
}

static void test_an_archive_is_what_a_tree_begins_with(void **state)
{
    char image[4096] = "", text[20] = "";
    struct cpio all = archive(image);
    struct fs_stat s;
    struct fs_node *node;
    fs_end(&fs);
    assert_int_equal(fs_begin(&fs, &all, now), 0);
    assert_int_equal(fs_read(&fs, found("link/file"), 3, text, sizeof text), 5);
    assert_string_equal(text, "tents");
    fs_describe(found("deep"), &s);
    assert_int_equal(s.mode, S_IFDIR | 0700);
    assert_int_equal(s.mtime, 77000000000);
    assert_int_equal(s.links, 3);
    assert_int_equal(fs_find(&fs, fs.root, "up", 0, &node), -ENOENT);
    assert_int_equal(fs_open(&fs, fs.root, "pipe", 0, 0, &node), -ENXIO);
    fs_describe(found("device"), &s);
    assert_int_equal(s.device, 0x507);
    assert_int_equal(fs_write(&fs, found("deep/er/file"), 2, "NT", 2), 2);
    assert_int_equal(fs_truncate(&fs, found("deep/er/file"), 6), 0);
    assert_int_equal(fs_truncate(&fs, found("deep/er/file"), 9), 0);
    assert_int_equal(fs_read(&fs, found("deep/er/file"), 0, text, sizeof text), 9);
    assert_memory_equal(text, "coNTen\0\0\0", 9);
    assert_non_null(memmem(image, sizeof image, "contents", 8)); /* the archive is as it was */
}

static void test_without_memory_no_tree_begins(void **state)
{
    char image[4096] = "";
    struct cpio all = archive(image);
    long n = 0;
    int error = 0;
    fs_end(&fs);
    do {
        allowed = n++;
        error = fs_begin(&fs, &all, now);
        assert_true(!error || error == -ENOMEM);
    } while (error);
    allowed = -1;
    assert_true(n > 10);
}

/* --- times ------------------------------------------------------------------------------------------------------- */

static void test_times_are_of_the_last_change(void **state)
{
    struct fs_stat s, folder;
    clock_at = 5;
    struct fs_node *node = file("f", "");
    clock_at = 6;
    char byte;
    assert_int_equal(fs_read(&fs, node, 0, &byte, 1), 0);
    fs_describe(node, &s);
    assert_true(s.atime == 5 && s.mtime == 5 && s.ctime == 5);
    assert_int_equal(fs_write(&fs, node, 0, "x", 1), 1);
    clock_at = 7;
    fs_set_mode(&fs, node, 0400);
    clock_at = 8;
    assert_int_equal(fs_read(&fs, node, 0, &byte, 1), 1);
    fs_describe(node, &s);
    assert_true(s.atime == 8 && s.mtime == 6 && s.ctime == 7 && s.mode == (S_IFREG | 0400));
    clock_at = 9;
    assert_int_equal(fs_link(&fs, fs.root, "f", 0, fs.root, "g"), 0);
    fs_describe(node, &s);
    fs_describe(fs.root, &folder);
    assert_true(s.ctime == 9 && s.mtime == 6 && folder.mtime == 9);
    fs_set_times(&fs, node, FS_OMIT, 3);
    fs_describe(node, &s);
    assert_true(s.atime == 8 && s.mtime == 3);
}

static void test_only_the_first_reading_behind_a_change_is_told(void **state)
{
    struct fs_stat s;
    char byte;
    clock_at = 5;
    struct fs_node *node = file("f", "x");
    for (clock_at = 6; clock_at < 9; clock_at++)
        assert_int_equal(fs_read(&fs, node, 0, &byte, 1), 1);
    fs_describe(node, &s);
    assert_true(s.atime == 6 && s.mtime == 5);
    fs_set_mode(&fs, node, 0400);
    clock_at = 12;
    assert_int_equal(fs_read(&fs, node, 0, &byte, 1), 1);
    fs_describe(node, &s);
    assert_true(s.atime == 12 && s.ctime == 9);
}

/* --- accounts ---------------------------------------------------------------------------------------------------- */

static int fill(struct fs_node *node)
{
    int64_t done = 0;
    for (uint64_t at = 0; done >= 0; at += 4096)
        done = fs_write(&fs, node, at, "x", 1);
    return (int)done;
}

static void test_who_makes_a_file_pays_for_it_until_it_ends(void **state)
{
    struct fs_account mine = { .most = 64 << 10 }, others = { .most = 64 << 10 };
    struct fs_node *node;
    fs.payer = &mine;
    file("f", "");
    assert_int_equal(fs_make_symlink(&fs, "f", fs.root, "l"), 0);
    assert_int_equal(fs_make_folder(&fs, fs.root, "d", 0700), 0);
    fs.payer = &others;
    assert_int_equal(fs_link(&fs, fs.root, "f", 0, fs.root, "d/g"), 0);
    uint64_t name = others.used;
    assert_int_equal(fs_open(&fs, fs.root, "f", FS_WRITE, 0, &node), 0);
    assert_int_equal(fill(node), -ENOSPC);
    assert_true(mine.used > 56 << 10 && mine.used <= mine.most && name && others.used == name);
    fs.payer = &mine;
    mine.most = mine.used + 8;
    assert_int_equal(fs_make_folder(&fs, fs.root, "e", 0700), -ENOSPC);
    assert_int_equal(fs_make_symlink(&fs, "f", fs.root, "m"), -ENOSPC);
    assert_int_equal(fs_unlink(&fs, fs.root, "f"), 0);
    assert_int_equal(fs_unlink(&fs, fs.root, "l"), 0);
    fs_release(node);
    fs.payer = NULL;
    assert_int_equal(fs_unlink(&fs, fs.root, "d/g"), 0);
    assert_int_equal(fs_remove_folder(&fs, fs.root, "d"), 0);
    assert_true(mine.used == 0 && others.used == 0);
}

/* --- reading folders --------------------------------------------------------------------------------------------- */

static void test_a_folder_that_changes_is_read_once(void **state)
{
    struct fs_place place = { 0 };
    struct fs_entry e;
    char name[20];
    unsigned told[200] = { 0 };
    for (unsigned i = 0; i < 200; i++) {
        sprintf(name, "%u", i);
        file(name, "");
    }
    for (unsigned n = 0; fs_next(&fs, fs.root, &place, &e) == 1; n++) {
        if (e.name[0] == '.')
            continue;
        told[atoi(e.name)]++;
        sprintf(name, "%u", 199 - n);
        if (n < 100 && n % 2)
            assert_int_equal(fs_unlink(&fs, fs.root, n % 4 == 1 ? name : e.name), 0);
        if (n == 50)
            assert_int_equal(fs_rename(&fs, fs.root, "0", fs.root, "new"), 0); /* at the end, once more or not */
        if (!strcmp(e.name, "new"))
            told[0]--;
    }
    for (unsigned i = 0; i < 100; i++)
        assert_true(told[i] == 1 || (i == 0 && told[0] <= 2));
}

static void test_paths_of_folders_lead_to_them(void **state)
{
    char to[40];
    struct fs_node *node, *moved;
    assert_int_equal(fs_path(&fs, fs.root, to, sizeof to), 1);
    assert_string_equal(to, "/");
    assert_int_equal(fs_path(&fs, fs.root, to, 1), -ERANGE);
    assert_int_equal(fs_make_folder(&fs, fs.root, "a", 0755) | fs_make_folder(&fs, fs.root, "a/bc", 0755), 0);
    assert_int_equal(fs_find(&fs, fs.root, "a/bc", 0, &node), 0);
    assert_int_equal(fs_path(&fs, node, to, 6), 5);
    assert_string_equal(to, "/a/bc");
    assert_int_equal(fs_path(&fs, node, to, 5), -ERANGE);
    file("a/f", "");
    assert_int_equal(fs_real_path(&fs, node, "../../a/./bc/../f", to, sizeof to), 4);
    assert_string_equal(to, "/a/f");
    assert_int_equal(fs_real_path(&fs, node, "../f", to, 4), -ERANGE);
    assert_int_equal(fs_rename(&fs, fs.root, "a/bc", fs.root, "d"), 0);
    assert_int_equal(fs_find(&fs, node, "../d", 0, &moved), 0);
    assert_ptr_equal(moved, node);
    fs_release(moved);
    assert_int_equal(fs_remove_folder(&fs, fs.root, "d"), 0);
    assert_int_equal(fs_path(&fs, node, to, sizeof to), -ENOENT);
    assert_int_equal(fs_make_folder(&fs, node, "in", 0755), -ENOENT);
    assert_int_equal(fs_find(&fs, node, "../a", 0, &moved), 0); /* the way out is still there */
    fs_release(moved);
    fs_release(node);
}

/* --- no memory --------------------------------------------------------------------------------------------------- */

/* Do everything with fewer and fewer allocations: what fails says so, and leaves the tree whole. */
static void test_without_memory_each_operation_is_done_or_not(void **state)
{
    static const char text[3 * 4096] = { 1 };
    struct fs_place place;
    struct fs_entry e;
    for (long n = 0; n < 60; n++) {
        struct fs_node *node = NULL;
        allowed = n;
        int folder = fs_make_folder(&fs, fs.root, "a", 0755), link = fs_make_symlink(&fs, "a", fs.root, "l");
        int opened = fs_open(&fs, fs.root, "a/f", FS_CREATE | FS_WRITE, 0644, &node);
        int64_t wrote = opened ? 0 : fs_write(&fs, node, 100000, text, sizeof text);
        int hard = fs_link(&fs, fs.root, "a/f", 0, fs.root, "h"), renamed = fs_rename(&fs, fs.root, "h", fs.root, "i");
        allowed = -1;
        assert_true((!folder || folder == -ENOSPC) && (!link || link == -ENOSPC));
        assert_true(!opened || opened == -ENOSPC || (folder && opened == -ENOENT));
        assert_true(wrote >= 0 || wrote == -ENOSPC);
        if (node) {
            struct fs_stat s;
            fs_describe(node, &s);
            assert_int_equal(s.size, wrote > 0 ? 100000 + wrote : 0);
            assert_int_equal(s.links, 1 + !hard);
            fs_release(node);
        }
        place = (struct fs_place){ 0 };
        unsigned names = 0;
        while (fs_next(&fs, fs.root, &place, &e) == 1)
            names++;
        assert_int_equal(names, 2 + !folder + !link + !hard);
        if (!hard)
            assert_int_equal(fs_unlink(&fs, fs.root, renamed ? "h" : "i"), 0);
        if (!opened)
            assert_int_equal(fs_unlink(&fs, fs.root, "a/f"), 0);
        if (!link)
            assert_int_equal(fs_unlink(&fs, fs.root, "l"), 0);
        if (!folder)
            assert_int_equal(fs_remove_folder(&fs, fs.root, "a"), 0);
    }
}

static void test_a_hole_takes_no_memory(void **state)
{
    struct fs_stat s;
    struct fs_node *node = file("f", "");
    assert_int_equal(fs_write(&fs, node, (uint64_t)INT64_MAX - 1, "xy", 2), 1); /* the last place there is */
    assert_int_equal(fs_write(&fs, node, INT64_MAX, "x", 1), -EFBIG);
    assert_int_equal(fs_truncate(&fs, node, (uint64_t)INT64_MAX + 1), -EFBIG);
    fs_describe(node, &s);
    assert_true(s.size == INT64_MAX && s.blocks == 8);
    assert_int_equal(fs_truncate(&fs, node, 0), 0);
    fs_describe(node, &s);
    assert_int_equal(s.blocks, 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_an_archive_is_what_a_tree_begins_with),
        CASE(test_without_memory_no_tree_begins),
        CASE(test_times_are_of_the_last_change),
        CASE(test_only_the_first_reading_behind_a_change_is_told),
        CASE(test_who_makes_a_file_pays_for_it_until_it_ends),
        CASE(test_a_folder_that_changes_is_read_once),
        CASE(test_paths_of_folders_lead_to_them),
        CASE(test_without_memory_each_operation_is_done_or_not),
        CASE(test_a_hole_takes_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
