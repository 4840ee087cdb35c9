/* SPDX-License-Identifier: MIT */
/* line.h - a line with a message, in memory that other kernels write. Its word is written last; 0: the line is free. */
#ifndef AMALGAM_MAILBOX_LINE_H
#define AMALGAM_MAILBOX_LINE_H

#include <mailbox/mailbox.h>
#include <string.h>

struct mail_line {
    u8 data[MAIL_BYTES];
    u32 word;
};

#define WORD_FULL 0x4d610000u /* plus the number of bytes */

_Static_assert(sizeof(struct mail_line) == 32, "a cache line of the P54C");

/* Most messages are as long as they can be: these need no call. */
static __inlined void copy_data(void *to, const void *from, unsigned bytes)
{
    if (likely(bytes == MAIL_BYTES))
        __builtin_memcpy(to, from, MAIL_BYTES);
    else
        memcpy(to, from, bytes);
}

/* Fill a line. Returns false if it is not free. The caller is its only writer. */
static __inlined bool line_put(struct mail_line *l, const void *data, unsigned bytes)
{
    if (__atomic_load_n(&l->word, __ATOMIC_ACQUIRE))
        return false;
    copy_data(l->data, data, bytes);
    __atomic_store_n(&l->word, WORD_FULL | bytes, __ATOMIC_RELEASE);
    return true;
}

/* Copy a full line and free it. Returns false if it was not full, or had contents that no mailbox wrote (then
 * *dropped counts it). */
static __inlined bool line_take(struct mail *m, struct mail_line *l, unsigned from, u32 *dropped)
{
    u32 word = __atomic_load_n(&l->word, __ATOMIC_ACQUIRE), bytes = word - WORD_FULL;
    if (!word)
        return false;
    bool good = bytes - 1 < MAIL_BYTES;
    if (likely(good)) {
        m->from = (u8)from;
        m->bytes = (u8)bytes;
        copy_data(m->data, l->data, bytes);
    } else {
        ++*dropped;
    }
    __atomic_store_n(&l->word, 0, __ATOMIC_RELEASE);
    return good;
}

#endif
