/* SPDX-License-Identifier: MIT */
/* descriptors.c - the table of open files, and the console, which numbers 0 to 2 are at first: files.h. */
#include <amalgam/calls.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>

#include "cancel.h"
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

__attribute__((noinline, cold)) static int64_t fail(int64_t result)
{
    if (result == -ECANCELED)
        cancel_test(); /* the call has let go of all it had */
    errno = (int)-result;
    return -1;
}

int64_t files_result(int64_t result) { return result >= 0 ? result : fail(result); }

/* --- waiting ---------------------------------------------------------------------------------------------------- */

static uint32_t changes, sleepers;

const struct files_outside *files_outside;

uint32_t files_changes(void)
{
    uint32_t own = __atomic_load_n(&changes, __ATOMIC_SEQ_CST);
    return files_outside ? own + files_outside->events() : own;
}

/* Who sleeps has counted itself before the kernel compares the word, so one of both sees the other. */
void files_changed(void)
{
    __atomic_add_fetch(&changes, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&sleepers, __ATOMIC_SEQ_CST))
        amalgam_wake(&changes, UINT32_MAX);
}

static int64_t wait_inside(const uint32_t *word, uint32_t seen, uint64_t deadline)
{
    return cancel_wait(word, seen, deadline);
}

int files_wait(uint32_t seen, uint64_t deadline)
{
    const uint32_t *handled = &thread_self()->signals.handled, before = __atomic_load_n(handled, __ATOMIC_RELAXED);
    int64_t result = 0;
    __atomic_add_fetch(&sleepers, 1, __ATOMIC_SEQ_CST);
    files_leave();
    while (__atomic_load_n(handled, __ATOMIC_RELAXED) == before &&
           (result = (files_outside ? files_outside->wait : wait_inside)(&changes, seen, deadline)) == -AMALGAM_EINTR)
        ; /* a signal that the thread blocks, or ignores */
    files_enter();
    __atomic_sub_fetch(&sleepers, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(handled, __ATOMIC_RELAXED) != before)
        return -EINTR;
    return result == -AMALGAM_ETIMEDOUT ? -ETIMEDOUT : result == -ECANCELED ? -ECANCELED : 0;
}

short files_ready(struct open_file *f) { return f->kind->poll ? f->kind->poll(f) : POLLIN | POLLOUT; }

/* --- the console ------------------------------------------------------------------------------------------------- */

const struct console_input *console_input;

/* Without input: its end. */
int64_t console_read(struct open_file *f, uint64_t at, void *to, size_t n)
{
    (void)at;
    return console_input ? console_input->read(f, to, n) : 0;
}

short console_poll(struct open_file *f)
{
    (void)f;
    return !console_input || console_input->is_ready() ? POLLIN | POLLOUT : POLLOUT;
}

/* Without the lock: it may take long. */
int64_t console_text(struct open_file *f, uint64_t *at, const void *from, size_t n)
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

static int console_describe(const struct open_file *f, struct stat *s)
{
    (void)f;
    *s = (struct stat){ .st_mode = S_IFCHR | 0666, .st_nlink = 1, .st_rdev = DEVICE_CONSOLE };
    return 0;
}

static const struct file_kind console = {
    .terminal = true, .read = console_read, .write = console_text, .describe = console_describe, .poll = console_poll
};
/* Held once more than by their numbers: they are not freed. */
static struct open_file in = { .kind = &console, .held = 2, .flags = O_RDONLY };
static struct open_file out = { .kind = &console, .held = 3, .flags = O_WRONLY };

/* --- numbers ----------------------------------------------------------------------------------------------------- */

struct open_file *files_numbers[MOST_OPEN] = { &in, &out, &out };

int files_number(struct open_file *f, int least)
{
    for (int n = least; n < MOST_OPEN; n++)
        if (!files_numbers[n]) {
            files_numbers[n] = f;
            f->held++;
            return n;
        }
    return -EMFILE;
}

void files_forget(int number)
{
    files_numbers[number]->held--;
    files_numbers[number] = NULL;
}

/* Open files that have ended, for the next ones: with the lock they cost less than malloc() does. */
static struct open_file *ended;

struct open_file *files_make(void)
{
    struct open_file *f = ended;
    if (!f)
        return malloc(sizeof *f);
    ended = f->next;
    return f;
}

void files_unmake(struct open_file *f)
{
    f->next = ended;
    ended = f;
}

void files_drop(struct open_file *f)
{
    if (--f->held)
        return;
    if (f->kind->end)
        f->kind->end(f);
    files_unmake(f);
}

static int open_one(const struct file_kind *kind, void *own, int flags)
{
    struct open_file *f = files_make();
    int number = -ENOMEM;
    if (f) {
        files_begin(f, kind, own, flags);
        number = files_number(f, 0);
        if (number < 0)
            files_unmake(f);
    }
    return number;
}

int files_open(const struct file_kind *kind, void *own, int flags)
{
    files_enter();
    int number = open_one(kind, own, flags);
    files_leave();
    return number;
}

int files_open_two(const struct file_kind *const kind[2], void *const own[2], const int flags[2], int number[2])
{
    files_enter();
    int first = open_one(kind[0], own[0], flags[0]), second = first < 0 ? first : open_one(kind[1], own[1], flags[1]);
    if (first >= 0 && second < 0) {
        struct open_file *f = files_of(first);
        files_forget(first);
        files_unmake(f);
    } else if (second >= 0) {
        number[0] = first;
        number[1] = second;
    }
    files_leave();
    return second < 0 ? second : 0;
}
