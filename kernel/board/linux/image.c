/* SPDX-License-Identifier: MIT */
/* image.c - where the image lies (board/image.h): attach_init() says it before anything else asks. */
#include <board/image.h>

paddr_t image_phys;
