/* SPDX-License-Identifier: MIT */
/* vfs.c - see nanvix/runtime/fs/vfs.h: descriptors. A descriptor's fid at the server is its number plus one. */
#include <nanvix/fs.h>
#include <stdarg.h>

#include "nanvix.h"
#include "vfs_path.h"

#define PIECE 4096u /* of a read or a write */

struct file {
    bool open;
    int flags;
    uint32_t session;
    off_t position;
};

static struct file files[NANVIX_NR_FILES];
uint32_t vfs_lock;

static uint32_t fid_of(const struct file *f) { return (uint32_t)(f - files) + 1; }

/* --- open, close -------------------------------------------------------------------------------------------------- */

/* The fid stands for the file, or for its folder. */
static int open_fid(uint32_t fid, const char *name, int flags, mode_t mode)
{
    struct p9_cursor in, q = vfs_question();
    p9_put(&q, 4, fid);
    if (name)
        p9_put_name(&q, name);
    p9_put(&q, 4, (uint64_t)(flags & (O_ACCMODE | O_EXCL | O_TRUNC | O_APPEND)));
    if (name) {
        p9_put(&q, 4, mode & 07777);
        p9_put(&q, 4, 0);
    }
    return vfs_ask(&q, name ? P9_TLCREATE : P9_TLOPEN, &in, NULL, 0);
}

static int open_path(const char *path, int flags, mode_t mode)
{
    struct file *f = files;
    const char *name = NULL;
    int error = vfs_connect();
    if (error)
        return error;
    while (f < files + NANVIX_NR_FILES && f->open)
        f++;
    if (f == files + NANVIX_NR_FILES)
        return -EMFILE;
    error = vfs_walk(path, fid_of(f), flags & O_CREAT ? &name : NULL);
    if (error)
        return error;
    if (name && !*name)
        return vfs_forget(fid_of(f), -EISDIR);
    uint32_t session = vfs_session;
    error = open_fid(fid_of(f), name, flags, mode);
    if (error)
        return session == vfs_session ? vfs_forget(fid_of(f), error) : error;
    *f = (struct file){ .open = true, .flags = flags, .session = vfs_session };
    return (int)(f - files);
}

int nanvix_vfs_open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    int error = vfs_check_path(path, -EINVAL);
    if (flags & O_CREAT) {
        va_list arguments;
        va_start(arguments, flags);
        mode = (mode_t)va_arg(arguments, unsigned);
        va_end(arguments);
    }
    if (error || (flags & O_ACCMODE) == O_ACCMODE || (flags & O_CREAT && !mode))
        return error ? error : -EINVAL;
    nanvix_lock_take(&vfs_lock);
    int fd = open_path(path, flags, mode);
    nanvix_lock_drop(&vfs_lock);
    return fd;
}

/* With the lock. Returns 0 and the file, or an error. A file of a former session is -EIO. */
static int file_of(int fd, struct file **f)
{
    if (fd < 0 || fd >= NANVIX_NR_FILES)
        return -EINVAL;
    *f = &files[fd];
    return !(*f)->open ? -EBADF : (*f)->session != vfs_session ? -EIO : 0;
}

int nanvix_vfs_close(int fd)
{
    struct file *f;
    nanvix_lock_take(&vfs_lock);
    int error = file_of(fd, &f);
    if (!error)
        error = vfs_forget(fid_of(f), 0);
    if (error == 0 || error == -EIO)
        f->open = false;
    nanvix_lock_drop(&vfs_lock);
    return error;
}

/* --- contents ----------------------------------------------------------------------------------------------------- */

static ssize_t read_piece(const struct file *f, void *buf, size_t n)
{
    struct p9_cursor in, q = vfs_question();
    p9_put(&q, 4, fid_of(f));
    p9_put(&q, 8, (uint64_t)f->position);
    p9_put(&q, 4, n);
    int error = vfs_ask(&q, P9_TREAD, &in, buf, n);
    uint32_t got = error ? 0 : p9_u32(&in);
    if (error || got > n)
        return error ? error : -EIO;
    if (!in.left) /* it has come through the portal */
        return got;
    const uint8_t *data = p9_bytes(&in, got);
    if (data)
        p9_copy(buf, data, got);
    return data ? (ssize_t)got : -EIO;
}

static ssize_t write_piece(const struct file *f, const void *buf, size_t n)
{
    struct p9_cursor in, q = vfs_question();
    p9_put(&q, 4, fid_of(f));
    p9_put(&q, 8, (uint64_t)f->position);
    p9_put(&q, 4, n);
    p9_copy(p9_bytes(&q, n), buf, n);
    int error = vfs_ask(&q, P9_TWRITE, &in, NULL, 0);
    uint32_t done = error ? 0 : p9_u32(&in);
    return error ? error : done <= n ? (ssize_t)done : -EIO;
}

/* Move n bytes by pieces until one is not whole. None is beyond what a position can be. */
static ssize_t move(struct file *f, char *to, const char *from, size_t n)
{
    size_t done = 0, piece = 0;
    ssize_t got = 0;
    while (got == (ssize_t)piece && done < n) {
        uint64_t left = (uint64_t)(VFS_OFFSET_MOST - f->position);
        piece = n - done < PIECE ? n - done : PIECE;
        piece = piece < left ? piece : (size_t)left;
        if (!piece)
            return done ? (ssize_t)done : -EFBIG;
        got = to ? read_piece(f, to + done, piece) : write_piece(f, from + done, piece);
        if (got > 0) {
            done += (size_t)got;
            f->position += got;
        }
    }
    return got < 0 && !done ? got : (ssize_t)done;
}

static ssize_t transfer(int fd, char *to, const char *from, size_t n)
{
    struct file *f;
    nanvix_lock_take(&vfs_lock);
    ssize_t done = file_of(fd, &f);
    if (!done)
        done = !to && !from ? -EINVAL : n > NANVIX_MAX_FILE_SIZE ? -EFBIG : move(f, to, from, n);
    if (done > 0 && from && f->flags & O_APPEND) {
        off_t end = vfs_size(fid_of(f), NULL);
        f->position = end < 0 ? f->position : end;
    }
    nanvix_lock_drop(&vfs_lock);
    return done;
}

ssize_t nanvix_vfs_read(int fd, void *buf, size_t n) { return transfer(fd, buf, NULL, n); }
ssize_t nanvix_vfs_write(int fd, const void *buf, size_t n) { return transfer(fd, NULL, buf, n); }

off_t nanvix_vfs_seek(int fd, off_t offset, int whence)
{
    struct file *f;
    nanvix_lock_take(&vfs_lock);
    off_t at = file_of(fd, &f);
    if (!at && whence != SEEK_SET && whence != SEEK_CUR && whence != SEEK_END)
        at = -EINVAL;
    if (!at && whence != SEEK_SET)
        at = whence == SEEK_CUR ? f->position : vfs_size(fid_of(f), NULL);
    if (at >= 0 && (__builtin_add_overflow(at, offset, &at) || at < 0))
        at = -EINVAL;
    if (at >= 0)
        f->position = at;
    nanvix_lock_drop(&vfs_lock);
    return at;
}
