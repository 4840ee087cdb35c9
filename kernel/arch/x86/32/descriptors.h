/* SPDX-License-Identifier: MIT */
/* descriptors.h (32 bits) - entries of descriptor tables (Pentium manual vol. 3, 11.2.3 and 14.5). */
#ifndef AMALGAM_X86_32_DESCRIPTORS_H
#define AMALGAM_X86_32_DESCRIPTORS_H

#include <types.h>

/* A segment's descriptor: `limit` in the unit that `flags` (the upper four bits: granularity, size) say, `type` with
 * presence and privilege. */
static inline u64 segment(u32 base, u32 limit, u8 type, u8 flags)
{
    return (limit & 0xffff) | (u64)(base & 0xffffff) << 16 | (u64)type << 40 | (u64)(limit >> 16 | flags << 4) << 48 |
           (u64)(base >> 24) << 56;
}
/* Let INT `vector` in a program go to `entry`, interrupts off, on all cores. Boot. */
void idt_open(unsigned vector, const void *entry);

#endif
