/* SPDX-License-Identifier: MIT */
/* amalgam_mount() (user/p9/mount.c) where it fails: the server is not told of a client that does not stay. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../user/include/amalgam/mount.h"
#include "client.h"
#include "files.h"

const struct mount_calls *files_mount;
static struct fs tree;
static unsigned begun;
static int beginning; /* what p9_client_begin() returns */

static uint64_t now(void) { return 0; }
struct fs *files_tree(void) { return &tree; }
void files_enter(void) {}
void files_leave(void) {}
int64_t files_result(int64_t result) { return result < 0 ? (errno = (int)-result, -1) : result; }

static struct fs_node *here;
int files_find(int folder, const char *path, bool follows, struct fs_node **node)
{
    return fs_find(&tree, here, path, FS_FOLLOW, node);
}

int p9_client_begin(struct p9_client *c, unsigned tunnel)
{
    begun++;
    return beginning;
}

/* None of these is called. */
int p9_client_open(struct p9_client *c, const char *path, int flags, unsigned mode, struct p9_file *f) { return -EIO; }
void p9_client_close(struct p9_client *c, struct p9_file *f) {}
int64_t p9_client_read(struct p9_client *c, const struct p9_file *f, uint64_t at, void *to, size_t n) { return -EIO; }
int64_t p9_client_write(struct p9_client *c, const struct p9_file *f, uint64_t at, const void *from, size_t n)
{
    return -EIO;
}
int64_t p9_client_readdir(struct p9_client *c, const struct p9_file *f, uint64_t place, void *to, size_t n)
{
    return -EIO;
}
int p9_client_fstat(struct p9_client *c, const struct p9_file *f, struct stat *s) { return -EIO; }
int p9_client_sync(struct p9_client *c, const struct p9_file *f) { return -EIO; }
int p9_client_truncate(struct p9_client *c, const struct p9_file *f, uint64_t size) { return -EIO; }
int p9_client_stat(struct p9_client *c, const char *path, struct stat *s) { return -EIO; }
int p9_client_mkdir(struct p9_client *c, const char *path, unsigned mode) { return -EIO; }
int p9_client_unlink(struct p9_client *c, const char *path, bool folder) { return -EIO; }
int p9_client_rename(struct p9_client *c, const char *old, const char *new) { return -EIO; }

static void refused(const char *path, int error)
{
    errno = 0;
    assert_int_equal(amalgam_mount(0, path), -1);
    assert_int_equal(errno, error);
    assert_true(!files_mount && !tree.mount);
}

static void a_mount_that_fails_begins_no_session_and_may_be_tried_again(void **state)
{
    static char name[FS_NAME_MAX + 1];
    assert_int_equal(fs_begin(&tree, NULL, now), 0);
    here = fs_hold(tree.root);
    memset(name, 'x', FS_NAME_MAX);
    for (unsigned i = 0; i < FS_PATH_MAX / FS_NAME_MAX + 1; i++) { /* deeper than a path is long */
        struct fs_node *next;
        assert_int_equal(fs_make_folder(&tree, here, name, 0755), 0);
        assert_int_equal(fs_find(&tree, here, name, 0, &next), 0);
        fs_release(here);
        here = next;
    }
    refused(".", ERANGE);
    refused("none", ENOENT);
    assert_int_equal(begun, 0);
    beginning = -ENXIO;
    refused("/", ENXIO);
    assert_int_equal(begun, 1);
    beginning = 0;
    assert_int_equal(amalgam_mount(0, "/"), 0);
    assert_int_equal(amalgam_mount(0, "/"), -1);
    assert_int_equal(errno, EBUSY);
    assert_int_equal(begun, 2);
    files_mount = NULL;
    fs_release(tree.mount);
    fs_release(here);
    tree.mount = NULL;
    fs_end(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mount_that_fails_begins_no_session_and_may_be_tried_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
