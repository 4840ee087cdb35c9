/* SPDX-License-Identifier: MIT */
/* image.c - the address of the image (board/image.h); attach_init() sets it first of all. */
#include <board/image.h>

paddr_t image_phys;
