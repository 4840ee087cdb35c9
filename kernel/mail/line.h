/* SPDX-License-Identifier: MIT */
/* line.h - a line with a message, in memory that other kernels write. Its word is written last; 0: the line is free. */
#ifndef AMALGAM_MAIL_LINE_H
#define AMALGAM_MAIL_LINE_H

#include <mail/mail.h>
#include <string.h>

struct mail_line {
    u8 data[MAIL_BYTES];
    u32 word;
};

#define WORD_FULL 0x4d610000u /* plus the number of bytes */
#define WORD_TELL 0x100u      /* the sender waits: interrupt it when the line is free (send.c) */

_Static_assert(sizeof(struct mail_line) == 32, "a cache line of the P54C");

/* Most messages are as long as they can be: these need no call. */
static __inlined void copy_data(void *to, const void *from, unsigned bytes)
{
    if (likely(bytes == MAIL_BYTES))
        __builtin_memcpy(__builtin_assume_aligned(to, 4), from, MAIL_BYTES);
    else
        memcpy(to, from, bytes);
}

/* Fill a line; `marks` go into its word. Returns false if it is not free. The caller is its only writer. */
static __inlined bool line_put(struct mail_line *l, const void *data, unsigned bytes, u32 marks)
{
    if (__atomic_load_n(&l->word, __ATOMIC_ACQUIRE))
        return false;
    copy_data(l->data, data, bytes);
    __atomic_store_n(&l->word, WORD_FULL | marks | bytes, __ATOMIC_RELEASE);
    return true;
}

/* Returns whether a line with that word has a message, and says nothing else. */
static __inlined bool word_is_good(u32 word) { return word - WORD_FULL - 1 < MAIL_BYTES; }

/* Copy a line whose word is good. */
static __inlined void line_copy(struct mail *m, const struct mail_line *l, unsigned from, u32 word)
{
    m->from = (u8)from;
    m->bytes = (u8)word;
    copy_data(m->data, l->data, word - WORD_FULL);
}

static __inlined void line_free(struct mail_line *l) { __atomic_store_n(&l->word, 0, __ATOMIC_RELEASE); }

#endif
