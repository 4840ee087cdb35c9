/* SPDX-License-Identifier: MIT */
/* memory.h - memory that the library keeps for later: it is given back before somebody is told that there is none. */
#ifndef AMALGAM_USER_MEMORY_H
#define AMALGAM_USER_MEMORY_H

#include <amalgam/calls.h>
#include <stdbool.h>

/* Set by who keeps memory: unmap it. Returns whether there was any. It must not sleep for a lock that its own caller
 * may hold. NULL: nobody keeps memory. */
extern bool (*memory_give_back)(void);
/* As amalgam_map(), and if there is no memory, once more after what was kept is given back. */
int64_t memory_map(void *address, size_t n, enum amalgam_map protection);

#endif
