/* SPDX-License-Identifier: MIT */
/*
 * numbers.c - close(), dup() and their kind, and fcntl(). Where one of them changes what number 0, 1 or 2 is, its
 * stream is no longer the console's (console.h): it goes by its number then.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

#include "cancel.h"
#include "console.h"
#include "files.h"

#define CHANGEABLE (O_APPEND | O_NONBLOCK) /* by F_SETFL */

static void console_moves(int number)
{
    console_move = stream_leave_console;
    __atomic_fetch_or(&console_moved, 1u << number, __ATOMIC_RELEASE);
}

void console_is_read(void) { console_moves(0); }

int close(int number)
{
    cancel_test();
    files_enter();
    struct open_file *f = files_of(number);
    if (f) {
        files_numbers[number] = NULL;
        files_drop(f);
        if (number <= 2)
            console_moves(number);
    }
    files_leave();
    return f ? 0 : (int)files_result(-EBADF);
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

/* With the lock. */
static int put(struct open_file *f, int wanted)
{
    if (!f || wanted < 0 || wanted >= MOST_OPEN)
        return -EBADF;
    struct open_file *before = files_numbers[wanted];
    f->held++;
    files_numbers[wanted] = f;
    if (before)
        files_drop(before);
    if (before != f && wanted <= 2)
        console_moves(wanted);
    return wanted;
}

int dup2(int number, int wanted)
{
    files_enter();
    int n = put(files_of(number), wanted);
    files_leave();
    return (int)files_result(n);
}

/* There is no exec(), so that O_CLOEXEC has no meaning. */
int dup3(int number, int wanted, int flags)
{
    if (number == wanted || flags & ~O_CLOEXEC)
        return (int)files_result(-EINVAL);
    return dup2(number, wanted);
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
        f->flags = (f->flags & ~CHANGEABLE) | (value & CHANGEABLE);
    else if (what != F_GETFD && what != F_SETFD)
        result = -EINVAL;
    files_leave();
    return (int)files_result(result);
}
