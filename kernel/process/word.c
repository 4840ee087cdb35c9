/* SPDX-License-Identifier: MIT */
/* word.c - reads a word of a process, for an architecture that has nothing shorter. */
#include <errors.h>
#include <hal/user.h>

s64 user_read_word(struct user *u, const void *from)
{
    u32 value;
    return user_copy_piece(u, &value, from, sizeof(value)) ? -EFAULT : (s64)value;
}
