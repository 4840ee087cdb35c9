/* SPDX-License-Identifier: MIT */
/* io.c - what is done with an open file by its number: read(), write(), lseek() and their kind. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cancel.h"
#include "files.h"

static struct open_file *readable(int number)
{
    struct open_file *f = files_of(number);
    return f && (f->flags & O_ACCMODE) != O_WRONLY ? f : NULL;
}

static struct open_file *writable(int number)
{
    struct open_file *f = files_of(number);
    return f && (f->flags & O_ACCMODE) != O_RDONLY ? f : NULL;
}

/* The position changes while the file has the lock, so threads that share it get different bytes. A kind without
 * positions may let go of the lock: its file is held meanwhile. */
static int64_t read_on(struct open_file *f, void *to, size_t n)
{
    int64_t done;
    if (f->kind->seekable) {
        done = f->kind->read(f, f->position, to, n);
        f->position += done > 0 ? (uint64_t)done : 0;
        return done;
    }
    f->held++;
    done = f->kind->read ? f->kind->read(f, 0, to, n) : -EINVAL;
    files_drop(f);
    return done;
}

static int64_t write_on(struct open_file *f, const void *from, size_t n)
{
    uint64_t at = f->position;
    int64_t done;
    if (f->kind->seekable) {
        done = f->kind->write(f, &at, from, n);
        f->position = done > 0 ? at : f->position;
        return done;
    }
    f->held++;
    done = f->kind->write ? f->kind->write(f, &at, from, n) : -EINVAL;
    files_drop(f);
    return done;
}

ssize_t read(int number, void *to, size_t n)
{
    cancel_test();
    files_enter();
    struct open_file *f = readable(number);
    int64_t done = f ? read_on(f, to, n) : -EBADF;
    files_leave();
    return (ssize_t)files_result(done);
}

ssize_t write(int number, const void *from, size_t n)
{
    cancel_test();
    files_enter();
    struct open_file *f = writable(number);
    int64_t done = f ? write_on(f, from, n) : -EBADF;
    files_leave();
    return (ssize_t)files_result(done);
}

/* Returns why a number has no places, or 0. */
static int no_place(const struct open_file *f, off_t at)
{
    if (!f)
        return -EBADF;
    if (!f->kind->seekable)
        return -ESPIPE;
    return at < 0 ? -EINVAL : 0;
}

ssize_t pread(int number, void *to, size_t n, off_t at)
{
    cancel_test();
    files_enter();
    struct open_file *f = readable(number);
    int64_t done = no_place(f, at);
    if (!done)
        done = f->kind->read(f, (uint64_t)at, to, n);
    files_leave();
    return (ssize_t)files_result(done);
}

ssize_t pwrite(int number, const void *from, size_t n, off_t at)
{
    uint64_t place = (uint64_t)at;
    cancel_test();
    files_enter();
    struct open_file *f = writable(number);
    int64_t done = no_place(f, at);
    if (!done)
        done = f->kind->write(f, &place, from, n);
    files_leave();
    return (ssize_t)files_result(done);
}

/* Pieces one after the other; other threads' may come between them on the console, and the number may be closed. */
static ssize_t each_piece(int number, const struct iovec *piece, int n, bool writes)
{
    struct open_file *(*of)(int) = writes ? writable : readable;
    int64_t all = 0;
    cancel_test();
    files_enter();
    struct open_file *f = of(number);
    int64_t done = n < 0 || n > IOV_MAX ? -EINVAL : f ? 0 : -EBADF;
    for (int i = 0; !done && i < n && f == of(number); i++) {
        void *at = piece[i].iov_base;
        int64_t moved = writes ? write_on(f, at, piece[i].iov_len) : read_on(f, at, piece[i].iov_len);
        all += moved > 0 ? moved : 0;
        if (moved < 0 || (size_t)moved < piece[i].iov_len)
            done = moved < 0 && !all ? moved : 1;
    }
    files_leave();
    return (ssize_t)files_result(done < 0 ? done : all);
}

ssize_t readv(int number, const struct iovec *piece, int n) { return each_piece(number, piece, n, false); }
ssize_t writev(int number, const struct iovec *piece, int n) { return each_piece(number, piece, n, true); }

static int64_t move(struct open_file *f, off_t offset, int whence)
{
    struct stat s;
    off_t to;
    int error = whence == SEEK_END ? f->kind->describe(f, &s) : 0;
    if (error)
        return error;
    off_t from = whence == SEEK_CUR ? (off_t)f->position : whence == SEEK_END ? s.st_size : 0;
    if ((whence != SEEK_SET && whence != SEEK_CUR && whence != SEEK_END) || __builtin_add_overflow(from, offset, &to) ||
        to < 0)
        return -EINVAL;
    f->position = (uint64_t)to;
    return to;
}

off_t lseek(int number, off_t offset, int whence)
{
    files_enter();
    struct open_file *f = files_of(number);
    int64_t to = no_place(f, 0);
    if (!to)
        to = move(f, offset, whence);
    files_leave();
    return (off_t)files_result(to);
}

int fstat(int number, struct stat *s)
{
    files_enter();
    const struct open_file *f = files_of(number);
    int error = f ? f->kind->describe(f, s) : -EBADF;
    files_leave();
    return (int)files_result(error);
}

int ftruncate(int number, off_t size)
{
    files_enter();
    struct open_file *f = files_of(number);
    bool may = size >= 0 && writable(number) && f->kind->truncate;
    int error = !f ? -EBADF : may ? f->kind->truncate(f, (uint64_t)size) : -EINVAL;
    files_leave();
    return (int)files_result(error);
}

/* What is written to the tree is there. What is neither of it nor has a way to, as a pipe, cannot be synchronized. */
int fsync(int number)
{
    cancel_test();
    files_enter();
    struct open_file *f = files_of(number);
    int error = !f ? -EBADF : f->kind->sync ? f->kind->sync(f) : f->node ? 0 : -EINVAL;
    files_leave();
    return (int)files_result(error);
}

int fdatasync(int number) { return fsync(number); }
void sync(void) {}

int isatty(int number)
{
    files_enter();
    const struct open_file *f = files_of(number);
    int error = !f ? -EBADF : f->kind->terminal ? 0 : -ENOTTY;
    files_leave();
    return files_result(error) == 0;
}
