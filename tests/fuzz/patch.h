/* SPDX-License-Identifier: MIT */
/*
 * patch.h - structured input for formats with magics and checksums: the target builds
 * a valid image, the fuzzer's bytes are patches to it of (offset16, value, count), so
 * that every run starts deep inside the parser.  And a map callback that hands out
 * copies of exactly the size asked for, so that ASan sees a read beyond it.
 */
#ifndef AMALGAM_FUZZ_PATCH_H
#define AMALGAM_FUZZ_PATCH_H

#include <bytes.h>
#include <stdlib.h>
#include <string.h>

static inline void patch(u8 *image, size_t size, const u8 *data, size_t n)
{
    for (; n >= 4; n -= 4, data += 4) {
        size_t at = get16(data) % size, count = data[3] % 8 + 1;
        memset(image + at, data[2], MIN(count, size - at));
    }
}

#define FUZZ_RAM 0x2000u
static u8 fuzz_ram[FUZZ_RAM];
static void *fuzz_copies[65536];
static unsigned fuzz_n_copies;

static inline const void *fuzz_map(paddr_t pa, u64 len)
{
    if (pa > FUZZ_RAM || len > FUZZ_RAM - pa || fuzz_n_copies == ARRAY_SIZE(fuzz_copies))
        return NULL;
    void *p = malloc(len ? len : 1);
    memcpy(p, fuzz_ram + pa, len);
    return fuzz_copies[fuzz_n_copies++] = p;
}

static inline void fuzz_unmap_all(void)
{
    while (fuzz_n_copies)
        free(fuzz_copies[--fuzz_n_copies]);
}

#endif
