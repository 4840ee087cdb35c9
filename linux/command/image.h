/* SPDX-License-Identifier: MIT */
/* image.h - what a system image asks of the machine. The kernel checks all of it again: this is for a plan only. */
#ifndef AMALGAM_COMMAND_IMAGE_H
#define AMALGAM_COMMAND_IMAGE_H

#include "types.h"

#define IMAGE_MAX_CORES 64

struct image {
    const void *bytes;
    u64 size;
    unsigned cores;
    u64 memory; /* of all domains and channels together */
};

int image_open(const char *path, struct image *image);

#endif
