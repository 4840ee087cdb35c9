/* SPDX-License-Identifier: MIT */
/* found.h - where the library finds what the program's cores share (process/chip.h), in a process or in Linux. */
#ifndef AMALGAM_USER_RCCE_FOUND_H
#define AMALGAM_USER_RCCE_FOUND_H

#include <process/chip.h>

#include "../rcce.h"

struct chip_memory {
    const struct chip_info *info;
    const volatile uint32_t *lives; /* as CHIP_LIVES */
    char *mpb, *shared;
};

/* Find it. Returns false, and has said why, if there is none. */
bool chip_open(struct chip_memory *m);
/* Let others of the core run for a while. */
void NATIVE_CALL chip_rest(void);

#endif
