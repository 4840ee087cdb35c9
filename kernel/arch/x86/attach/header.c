/* SPDX-License-Identifier: MIT */
/* header.c - the first bytes of the image (kernel.lds), which the module reads before it loads it (api/attach.h). */
#include <board/image.h>

#include "linux_cpu.h"

#define HEAP (2 * MIB) /* page tables of ours, the records of cores and systems */

extern const char file_end[], image_end[], attach_init_entry[];
extern const struct attach_header attach_header;

const struct attach_header attach_header __attribute__((used, section(".attach_header"))) = {
    .magic = ATTACH_MAGIC,
    .abi = ATTACH_ABI,
    .base = IMAGE_BASE,
    .file_end = (u64)file_end,
    .memory_end = (u64)image_end,
    .init = (u64)attach_init_entry,
    .heap_cpu = LINUX_CPU_MEMORY,
    .heap = HEAP,
};
