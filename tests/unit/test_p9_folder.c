/* SPDX-License-Identifier: MIT */
/* test_p9_folder.c - the working folder in a server's tree (user/p9/folder.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <folder.h>
#include <fs.h>

static char text[FS_PATH_MAX];

static const char *absolute(const char *mount, const char *path)
{
    return p9_folder_absolute(mount, &path) ? NULL : path;
}

static void a_relative_path_begins_at_the_mount_and_the_folder(void **state)
{
    assert_int_equal(p9_folder_set("a/./b//c/.."), 0);
    assert_int_equal(p9_folder_path("/mnt", text, sizeof text), 8);
    assert_string_equal(text, "/mnt/a/b");
    assert_int_equal(p9_folder_path("/mnt", text, 9), -ERANGE);
    assert_int_equal(p9_folder_path("/", text, sizeof text), 4);
    assert_string_equal(absolute("/mnt", "x"), "/mnt/a/b/x");
    assert_string_equal(absolute("/mnt", "../x/"), "/mnt/a/x/");
    assert_string_equal(absolute("/mnt", "../../../y"), "/y");
    assert_string_equal(absolute("/", "../../../.."), "/");
    assert_int_equal(p9_folder_set("/"), 0);
    assert_int_equal(p9_folder_path("/", text, sizeof text), 1);
    assert_string_equal(text, "/");
    assert_string_equal(absolute("/", "x"), "/x");
}

/* The way over a link may be shorter than the mount's own path, so the folder's with that is longer than any. */
static void a_folder_whose_path_is_too_long_is_refused(void **state)
{
    static char deep[FS_PATH_MAX];
    memset(deep, 'n', sizeof deep - 3);
    assert_int_equal(p9_folder_set(deep), 0);
    assert_int_equal(p9_folder_path("/mnt", text, sizeof text), -ERANGE);
    const char *path = "x";
    assert_int_equal(p9_folder_absolute("/mnt", &path), -ENAMETOOLONG);
    path = "..";
    assert_int_equal(p9_folder_absolute("/", &path), 0);
    assert_string_equal(path, "/");
    memset(deep, 'n', sizeof deep - 1);
    assert_int_equal(p9_folder_set(deep), -ENAMETOOLONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_relative_path_begins_at_the_mount_and_the_folder),
        cmocka_unit_test(a_folder_whose_path_is_too_long_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
