/* SPDX-License-Identifier: MIT */
/*
 * amalgam/pages.h - page capabilities: handles of memory (amalgam/handle.h) that are derived, revoked and inspected.
 * docs/handles.md explains them. In a kernel without them each of these calls returns -ENOSYS.
 */
#ifndef AMALGAM_PAGES_H
#define AMALGAM_PAGES_H

#include <amalgam/handle.h>

#include "pages_table.h"

/* What amalgam_pages_inspect() has returned: 0 or more. */
static inline uint32_t amalgam_pages_frame(int64_t inspected) { return (uint32_t)((uint64_t)inspected >> 4); }
static inline unsigned amalgam_pages_rights(int64_t inspected) { return (unsigned)inspected & 15u; }
#define AMALGAM_PAGES_READ    1u
#define AMALGAM_PAGES_WRITE   2u
#define AMALGAM_PAGES_EXECUTE 4u

#endif
