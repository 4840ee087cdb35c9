/* SPDX-License-Identifier: MIT */
/* vfs_path.c - see vfs_path.h, and of nanvix/runtime/fs/vfs.h what takes a path and opens nothing. */
#include "vfs_path.h"

#include <nanvix/fs.h>

#include "nanvix.h"

#define FID_PATH (NANVIX_NR_FILES + 1u) /* of a path that is only looked at */

int vfs_check_path(const char *path, int empty)
{
    if (!path)
        return -EINVAL;
    return !*path ? empty : kstrlen(path) >= NANVIX_NAME_MAX ? -ENAMETOOLONG : 0;
}

int vfs_walk(const char *path, uint32_t fid, const char **last)
{
    struct p9_cursor in, q = vfs_question();
    const char *name;
    int names = p9_put_walk(&q, VFS_ROOT, fid, path + strspn(path, "/"), last, last ? last : &name);
    if (names < 0)
        return -ENAMETOOLONG;
    int error = vfs_ask(&q, P9_TWALK, &in, NULL, 0);
    return error ? error : p9_u16(&in) == names && !in.bad ? 0 : -ENOENT;
}

int vfs_forget(uint32_t fid, int error)
{
    struct p9_cursor in, q = vfs_question();
    uint32_t session = vfs_session;
    p9_put(&q, 4, fid);
    int lost = vfs_ask(&q, P9_TCLUNK, &in, NULL, 0);
    return error ? error : session != vfs_session ? lost : 0;
}

off_t vfs_size(uint32_t fid, struct nanvix_stat *s)
{
    struct nanvix_stat own;
    struct p9_cursor in, q = vfs_question();
    p9_put(&q, 4, fid);
    p9_put(&q, 8, P9_GOT_BASIC);
    int error = vfs_ask(&q, P9_TGETATTR, &in, NULL, 0);
    if (error)
        return error;
    s = s ? s : &own;
    p9_bytes(&in, 8 + 5); /* what is valid; a qid's type and version */
    *s = (struct nanvix_stat){ .st_dev = 2, .st_ino = (ino_t)p9_u64(&in) };
    s->st_mode = p9_u32(&in);
    p9_bytes(&in, 8);
    s->st_nlink = (nlink_t)p9_u64(&in);
    p9_bytes(&in, 8);
    uint64_t size = p9_u64(&in);
    s->st_size = (off_t)size;
    s->st_blksize = (blksize_t)p9_u64(&in);
    s->st_blocks = (blkcnt_t)p9_u64(&in);
    return in.bad ? -EIO : size > (uint64_t)VFS_OFFSET_MOST ? -EFBIG : s->st_size;
}

int nanvix_vfs_stat(const char *path, struct nanvix_stat *restrict buf)
{
    int error = vfs_check_path(path, -ENOENT);
    if (error || !buf)
        return error ? error : -EINVAL;
    nanvix_lock_take(&vfs_lock);
    error = vfs_connect();
    if (!error)
        error = vfs_walk(path, FID_PATH, NULL);
    if (!error) {
        uint32_t session = vfs_session;
        off_t size = vfs_size(FID_PATH, buf);
        error = size < 0 ? (int)size : 0;
        error = session == vfs_session ? vfs_forget(FID_PATH, error) : error;
    }
    nanvix_lock_drop(&vfs_lock);
    return error;
}

/* Change the last name of a path: remove it, or make it a folder. */
static int change(const char *path, uint8_t type, uint64_t value)
{
    const char *name;
    int error = vfs_connect();
    if (!error)
        error = vfs_walk(path, FID_PATH, &name);
    if (error)
        return error;
    if (!*name)
        return vfs_forget(FID_PATH, type == P9_TMKDIR ? -EEXIST : -EINVAL);
    struct p9_cursor in, q = vfs_question();
    uint32_t session = vfs_session;
    p9_put(&q, 4, FID_PATH);
    p9_put_name(&q, name);
    p9_put(&q, 4, value);
    if (type == P9_TMKDIR)
        p9_put(&q, 4, 0);
    error = vfs_ask(&q, type, &in, NULL, 0);
    return session == vfs_session ? vfs_forget(FID_PATH, error) : error;
}

static int change_path(const char *path, uint8_t type, uint64_t value)
{
    int error = vfs_check_path(path, -ENOENT);
    if (error)
        return error;
    nanvix_lock_take(&vfs_lock);
    error = change(path, type, value);
    nanvix_lock_drop(&vfs_lock);
    return error;
}

int nanvix_vfs_unlink(const char *path) { return change_path(path, P9_TUNLINKAT, 0); }
int nanvix_vfs_rmdir(const char *path) { return change_path(path, P9_TUNLINKAT, P9_REMOVE_FOLDER); }
int nanvix_vfs_mkdir(const char *path, mode_t mode) { return change_path(path, P9_TMKDIR, mode & 07777); }
