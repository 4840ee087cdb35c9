/* SPDX-License-Identifier: MIT */
/*
 * bytes.h - little-endian fields at any alignment. Tables that firmware, a boot loader or a guest left in memory are
 * read and written by these, never by a cast to a structure, so no alignment, aliasing or layout is assumed.
 */
#ifndef AMALGAM_BYTES_H
#define AMALGAM_BYTES_H

#include <types.h>

#define BYTES_ACCESSOR(bits)                                                                                           \
    static inline u##bits get##bits(const void *p)                                                                     \
    {                                                                                                                  \
        u##bits v;                                                                                                     \
        __builtin_memcpy(&v, p, sizeof(v));                                                                            \
        return v;                                                                                                      \
    }                                                                                                                  \
    static inline void put##bits(void *p, u##bits v) { __builtin_memcpy(p, &v, sizeof(v)); }

BYTES_ACCESSOR(16)
BYTES_ACCESSOR(32)
BYTES_ACCESSOR(64)
#undef BYTES_ACCESSOR

#endif
