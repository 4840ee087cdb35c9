/* SPDX-License-Identifier: MIT */
/* board/image.h (linux) - the physical address behind IMAGE_BASE: where Linux had four contiguous MiB. */
#ifndef AMALGAM_BOARD_IMAGE_H
#define AMALGAM_BOARD_IMAGE_H

#include <types.h>

extern paddr_t image_phys;
#define IMAGE_PHYS image_phys

#endif
