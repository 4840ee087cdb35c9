/* SPDX-License-Identifier: MIT */
/*
 * amalgam/spawn.h - starting programs in the slots that the system file gives a process, besides amalgam/calls.h.
 * docs/shell.md explains it; <spawn.h> has what POSIX calls so. In a kernel without this each call returns -ENOSYS.
 */
#ifndef AMALGAM_SPAWN_H
#define AMALGAM_SPAWN_H

#include <amalgam/handle.h>

#define AMALGAM_SPAWN_HANDLES 8

struct amalgam_program {
    uint32_t image, offset, size; /* a handle of memory; where the program's file begins in it, and its bytes */
    uint32_t argc, envc, length;  /* of `texts`: arguments, then NAME=VALUE; the bytes of all, each with its NUL */
    uint64_t texts;               /* address */
    uint32_t n_handles;           /* that the program gets */
    uint8_t handle[AMALGAM_SPAWN_HANDLES], rights[AMALGAM_SPAWN_HANDLES];
    uint32_t reserved;
};

/* What amalgam_spawn_wait() says, in bits 8 and 9. */
#define AMALGAM_SPAWN_EXITED 0u
#define AMALGAM_SPAWN_KILLED 1u
#define AMALGAM_SPAWN_FAULT  2u
#define AMALGAM_SPAWN_OTHER  3u

/* The calls, which name the record. */
#include "spawn_table.h"

#endif
