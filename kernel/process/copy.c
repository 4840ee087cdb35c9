/* SPDX-License-Identifier: MIT */
/*
 * copy.c - copies between the kernel's memory and a process's, in blocks with interrupts off. Between two blocks
 * another thread may run on the core and load another space; user_copy_piece() loads this thread's again.
 */
#include <errors.h>

#include "memory.h"
#include "pages.h"

#define BLOCK 256 /* bytes that are copied with interrupts off */

static inline int copy_block(struct user *u, void *to, const void *from, size_t n)
{
    unsigned long flags = irq_save();
    int err = user_copy_piece(u, to, from, n);
    irq_restore(flags);
    return err;
}

static __noinline int copy_blocks(struct user *u, void *to, const void *from, size_t n)
{
    int err = 0;
    for (size_t done = 0; done < n && !err; done += BLOCK)
        err = copy_block(u, (char *)to + done, (const char *)from + done, MIN(n - done, (size_t)BLOCK));
    return err;
}

static inline int copy(struct user *u, void *to, const void *from, size_t n)
{
    return n && n <= BLOCK ? copy_block(u, to, from, n) : copy_blocks(u, to, from, n);
}

/* Copy again, as often as a page that was not there has been brought to [at, at+n). */
static __cold __noinline int copy_again(struct process_thread *t, void *to, const void *from, u64 at, size_t n,
                                        unsigned access)
{
    int err = -EFAULT;
    while (err && process_page_in(t, at, n, access))
        err = copy(&t->user, to, from, n);
    return err;
}

int process_read(struct process_thread *t, void *to, u64 from, size_t n)
{
    const void *outside = (const void *)(unsigned long)from;
    if (!space_is_user(from, n))
        return -EFAULT;
    return copy(&t->user, to, outside, n) ? copy_again(t, to, outside, from, n, 0) : 0;
}

int process_write(struct process_thread *t, u64 to, const void *from, size_t n)
{
    void *outside = (void *)(unsigned long)to;
    if (!space_is_user(to, n))
        return -EFAULT;
    return copy(&t->user, outside, from, n) ? copy_again(t, outside, from, to, n, SPACE_WRITE) : 0;
}
