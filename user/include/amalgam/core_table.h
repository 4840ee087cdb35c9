/* SPDX-License-Identifier: MIT */
/* Made from kernel/api/core.yaml by tools/amalgam/api/generate.py: edit that. */
/* Included by amalgam/cores.h, which says what a call is. Any call may return -ENOSYS (there is none of that
 * number) or -ERANGE (an argument is larger than is allowed). */
#ifndef AMALGAM_CORE_TABLE_H
#define AMALGAM_CORE_TABLE_H

#define AMALGAM_CORES_VERSION 1

enum amalgam_core {
    AMALGAM_CORE_STATE = 0x434f0000,
    AMALGAM_CORES_END
};


/*
 * Ask what a core of this cluster does at the moment. Core 0 is the master. core: its number, from 0. Returns 0: it
 * is dark, with nothing to run; 1: it is dark, though a thread of it is ready, since as many cores as permitted are
 * awake; 2: it is awake; -EINVAL: there is no such core.
 */
static inline int64_t amalgam_core_state(unsigned core)
{
    return amalgam_call(AMALGAM_CORE_STATE, (uintptr_t)core, 0, 0, 0);
}

#endif
