/* SPDX-License-Identifier: MIT */
/* descriptors.c - the table of open files, and the console, which numbers 0 to 2 are at first: files.h. */
#include <amalgam/calls.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

#include "files.h"
#include "lock.h"
#include "thread.h"

#define LARGEST 4096 /* bytes that one call of console_write takes */

static uint32_t lock;

void files_enter(void)
{
    handlers_hold();
    lock_take(&lock);
}

void files_leave(void)
{
    lock_drop(&lock);
    handlers_let();
}

int64_t files_result(int64_t result)
{
    if (result >= 0)
        return result;
    errno = (int)-result;
    return -1;
}

/* --- the console ------------------------------------------------------------------------------------------------- */

/* It has no input: its end. */
static int64_t console_read(struct open_file *f, uint64_t at, void *to, size_t n)
{
    (void)f, (void)at, (void)to, (void)n;
    return 0;
}

/* Without the lock: it may take long. */
static int64_t console_text(struct open_file *f, uint64_t *at, const void *from, size_t n)
{
    int64_t taken;
    (void)f, (void)at;
    files_leave();
    console_flush();
    while ((taken = amalgam_console_write(from, n < LARGEST ? n : LARGEST)) == 0 && n)
        amalgam_yield();
    files_enter();
    return taken < 0 ? -EFAULT : taken;
}

static int console_truncate(struct open_file *f, uint64_t size)
{
    (void)f, (void)size;
    return -EINVAL;
}

static void console_describe(const struct open_file *f, struct stat *s)
{
    (void)f;
    *s = (struct stat){ .st_mode = S_IFCHR | 0666, .st_nlink = 1 };
}

static void console_end(struct open_file *f) { (void)f; }

static const struct file_kind console = { false,      console_read, console_text, console_truncate, console_describe,
                                          console_end };
static struct open_file in = { .kind = &console, .held = 2, .flags = O_RDONLY };
static struct open_file out = { .kind = &console, .held = 3, .flags = O_WRONLY };

/* --- numbers ----------------------------------------------------------------------------------------------------- */

static struct open_file *file[MOST_OPEN] = { &in, &out, &out };

struct open_file *files_of(int number) { return number >= 0 && number < MOST_OPEN ? file[number] : NULL; }

int files_number(struct open_file *f, int least)
{
    for (int n = least; n < MOST_OPEN; n++)
        if (!file[n]) {
            file[n] = f;
            f->held++;
            return n;
        }
    return -EMFILE;
}

void files_forget(int number)
{
    file[number]->held--;
    file[number] = NULL;
}

void files_drop(struct open_file *f)
{
    if (!--f->held)
        f->kind->end(f);
}

int close(int number)
{
    files_enter();
    struct open_file *f = files_of(number);
    if (f) {
        file[number] = NULL;
        files_drop(f);
    }
    files_leave();
    return (int)files_result(f ? 0 : -EBADF);
}

static int again(int number, int least)
{
    struct open_file *f = files_of(number);
    if (!f)
        return -EBADF;
    return least < 0 || least >= MOST_OPEN ? -EINVAL : files_number(f, least);
}

int dup(int number)
{
    files_enter();
    int n = again(number, 0);
    files_leave();
    return (int)files_result(n);
}

int dup2(int number, int wanted)
{
    files_enter();
    struct open_file *f = wanted >= 0 && wanted < MOST_OPEN ? files_of(number) : NULL;
    struct open_file *before = f ? file[wanted] : NULL;
    if (f) {
        f->held++;
        file[wanted] = f;
    }
    if (before)
        files_drop(before);
    files_leave();
    return (int)files_result(f ? wanted : -EBADF);
}

/* F_GETFD and F_SETFD: there is no exec(), so that FD_CLOEXEC has no meaning. There are no locks. */
int fcntl(int number, int what, ...)
{
    va_list more;
    va_start(more, what);
    int value = what == F_DUPFD || what == F_DUPFD_CLOEXEC || what == F_SETFL ? va_arg(more, int) : 0, result = 0;
    va_end(more);
    files_enter();
    struct open_file *f = files_of(number);
    if (!f)
        result = -EBADF;
    else if (what == F_DUPFD || what == F_DUPFD_CLOEXEC)
        result = again(number, value);
    else if (what == F_GETFL)
        result = f->flags;
    else if (what == F_SETFL)
        f->flags = (f->flags & ~O_APPEND) | (value & O_APPEND);
    else if (what != F_GETFD && what != F_SETFD)
        result = -EINVAL;
    files_leave();
    return (int)files_result(result);
}
