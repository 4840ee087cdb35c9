/* SPDX-License-Identifier: MIT */
/* types.h - the kernel's names of types, for headers that the kernel and the command share (core/system_table.h, api/).
 */
#ifndef AMALGAM_COMMAND_TYPES_H
#define AMALGAM_COMMAND_TYPES_H

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
