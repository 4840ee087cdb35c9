/* SPDX-License-Identifier: MIT */
/* arch/xcr0.h (x86) - which values XCR0 may have. */
#ifndef AMALGAM_ARCH_XCR0_H
#define AMALGAM_ARCH_XCR0_H

#include <types.h>

/* Returns whether the value is valid for XCR0 on a machine that supports `supported`: features that belong together
 * (APM vol. 2, 11.5.2) are set together. Otherwise the kernel's own XSETBV would raise #GP. */
static inline bool xcr0_valid(u64 value, u64 supported)
{
    static const struct {
        u32 all, need; /* all or none of `all`; with them also `need` */
    } groups[] = { { 1u << 2, 1u << 1 } /* AVX: SSE */,
                   { 7u << 5, 1u << 2 } /* AVX-512: AVX */,
                   { 3u << 3, 0 } /* MPX */,
                   { 3u << 17, 0 } /* AMX */ };
    bool valid = value & 1 && !(value & ~supported);
    for (unsigned i = 0; i < ARRAY_SIZE(groups); i++) {
        u32 has = value & groups[i].all;
        valid &= !has || (has == groups[i].all && (value & groups[i].need) == groups[i].need);
    }
    return valid;
}

#endif
