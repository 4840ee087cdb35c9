/* SPDX-License-Identifier: MIT */
/* hex.h - hexadecimal digits. */
#ifndef AMALGAM_HEX_H
#define AMALGAM_HEX_H

/* Returns a digit's value, or 16: it is none. */
static inline unsigned hex_digit(char c)
{
    unsigned n = (unsigned)c - '0', letter = ((unsigned)c | 0x20) - 'a';
    return n < 10 ? n : letter < 6 ? letter + 10 : 16;
}

#endif
