/* SPDX-License-Identifier: MIT */
/* crc32.h - IEEE 802.3 CRC-32, four bits at a time: used once at boot on a few KiB, so the table is small. */
#ifndef AMALGAM_CORE_CRC32_H
#define AMALGAM_CORE_CRC32_H

#include <types.h>

/* Return the CRC `crc` continued over `n` bytes. It starts with ~0, and the result is complemented. */
static inline u32 crc32_update(u32 crc, const u8 *p, size_t n)
{
    /* The remainders of 0 to 15. */
    static const u32 of[16] = { 0,          0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c };
    while (n--) {
        crc ^= *p++;
        crc = crc >> 4 ^ of[crc & 15];
        crc = crc >> 4 ^ of[crc & 15];
    }
    return crc;
}

#endif
