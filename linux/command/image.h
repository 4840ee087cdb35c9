/* SPDX-License-Identifier: MIT */
/* image.h - the cores and the memory that a system image asks for. For planning only: the kernel checks the image. */
#ifndef AMALGAM_COMMAND_IMAGE_H
#define AMALGAM_COMMAND_IMAGE_H

#include "types.h"

#define IMAGE_MAX_CORES 64

struct image {
    const void *bytes;
    u64 size;
    unsigned cores;
    u64 memory; /* bytes of all domains and channels together */
};

int image_open(const char *path, struct image *image);

#endif
