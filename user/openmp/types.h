/* SPDX-License-Identifier: MIT */
/* types.h - replaces the kernel's types.h for the headers of hal/ that programs include, because macros of the C
 * library have the same names as the kernel's. */
#ifndef AMALGAM_USER_OPENMP_TYPES_H
#define AMALGAM_USER_OPENMP_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;

#endif
