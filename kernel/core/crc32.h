/* SPDX-License-Identifier: MIT */
/* crc32.h - IEEE 802.3 CRC-32, bit by bit: used once at boot on a few KiB, so no table. */
#ifndef AMALGAM_CORE_CRC32_H
#define AMALGAM_CORE_CRC32_H

#include <types.h>

/* Return the CRC `crc` continued over `n` bytes. It starts with ~0, and the result is complemented. */
static inline u32 crc32_update(u32 crc, const u8 *p, size_t n)
{
    while (n--) {
        crc ^= *p++;
        for (int i = 0; i < 8; i++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return crc;
}

#endif
