/* SPDX-License-Identifier: MIT */
/*
 * copy.c - between the kernel's memory and a process's, in pieces, each with interrupts off: another thread may have
 * had the core, and with it another space, between any two.
 */
#include <errors.h>

#include "process.h"

#define PIECE 256 /* bytes copied with interrupts off */

static int copy(struct user *u, void *to, const void *from, size_t n)
{
    int err = 0;
    for (size_t done = 0; done < n && !err; done += PIECE) {
        unsigned long flags = irq_save();
        err = user_copy_piece(u, (char *)to + done, (const char *)from + done, MIN(n - done, (size_t)PIECE));
        irq_restore(flags);
    }
    return err;
}

int process_read(struct process_thread *t, void *to, u64 from, size_t n)
{
    return space_is_user(from, n) ? copy(&t->user, to, (const void *)(unsigned long)from, n) : -EFAULT;
}

int process_write(struct process_thread *t, u64 to, const void *from, size_t n)
{
    return space_is_user(to, n) ? copy(&t->user, (void *)(unsigned long)to, from, n) : -EFAULT;
}
