/* SPDX-License-Identifier: MIT */
/* spawned_file.h - the program of /spawned, which clients of process servers start. */
#ifndef NANVIX_SPAWNED_FILE_H
#define NANVIX_SPAWNED_FILE_H

#include <stdio.h>

#include "../../../user/programs/nanvix/check.h"

#define LARGEST (320u << 10)

static char file[LARGEST];
static size_t size;

static void read_file(void)
{
    FILE *f = fopen("/spawned", "r");
    MUST(f);
    size = fread(file, 1, sizeof(file), f);
    MUST(size && size < sizeof(file));
    fclose(f);
}

#endif
