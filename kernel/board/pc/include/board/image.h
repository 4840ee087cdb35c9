/* SPDX-License-Identifier: MIT */
/*
 * board/image.h (pc) - all memory and the image in it are mapped one to one: a pointer is a physical address, and the
 * image's are short constants.
 */
#ifndef AMALGAM_BOARD_IMAGE_H
#define AMALGAM_BOARD_IMAGE_H

#include <types.h>

#define LINEAR_BASE 0ul

static inline paddr_t virt_to_phys(const void *p) { return (unsigned long)p; }

#endif
