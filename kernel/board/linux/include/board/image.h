/* SPDX-License-Identifier: MIT */
/*
 * board/image.h (linux) - the image is linked to the top 2 GiB and loaded at image_phys, where Linux had four
 * contiguous MiB. Physical memory is mapped in a window elsewhere.
 */
#ifndef AMALGAM_BOARD_IMAGE_H
#define AMALGAM_BOARD_IMAGE_H

#include <types.h>

#define LINEAR_BASE 0xffff800000000000ul
#define IMAGE_BASE  0xffffffff80000000ul /* arch.mk */

extern paddr_t image_phys;

/* Works for pointers into the linear window and into the image. */
static inline paddr_t virt_to_phys(const void *p)
{
    u64 v = (u64)p;
    return v >= IMAGE_BASE ? v - IMAGE_BASE + image_phys : v - LINEAR_BASE;
}

#endif
