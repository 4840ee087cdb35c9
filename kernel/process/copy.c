/* SPDX-License-Identifier: MIT */
/*
 * copy.c - copies between the kernel's memory and a process's, in blocks with interrupts off. Between two blocks
 * another thread may run on the core and load another space; user_copy_piece() loads this thread's again.
 */
#include <errors.h>

#include "process.h"

#define BLOCK 256 /* bytes that are copied with interrupts off */

static int copy(struct user *u, void *to, const void *from, size_t n)
{
    int err = 0;
    for (size_t done = 0; done < n && !err; done += BLOCK) {
        unsigned long flags = irq_save();
        err = user_copy_piece(u, (char *)to + done, (const char *)from + done, MIN(n - done, (size_t)BLOCK));
        irq_restore(flags);
    }
    return err;
}

int process_read(struct process_thread *t, void *to, u64 from, size_t n)
{
    int err = -EFAULT;
    if (space_is_user(from, n))
        do
            err = copy(&t->user, to, (const void *)(unsigned long)from, n);
        while (err && process_page_in(t, from, n));
    return err;
}

int process_write(struct process_thread *t, u64 to, const void *from, size_t n)
{
    int err = -EFAULT;
    if (space_is_user(to, n))
        do
            err = copy(&t->user, (void *)(unsigned long)to, from, n);
        while (err && process_page_in(t, to, n));
    return err;
}
