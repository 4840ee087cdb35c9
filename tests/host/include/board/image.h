/* SPDX-License-Identifier: MIT */
/* board/image.h (host) - no test depends on where an image lies. */
#define IMAGE_PHYS 0ul
