/* SPDX-License-Identifier: MIT */
/* board/image.h (pc) - the physical address behind IMAGE_BASE: loaders put the image where it was linked. */
#ifndef AMALGAM_BOARD_IMAGE_H
#define AMALGAM_BOARD_IMAGE_H

#define IMAGE_PHYS 0ul

#endif
