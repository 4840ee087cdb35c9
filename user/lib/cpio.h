/* SPDX-License-Identifier: MIT */
/*
 * cpio.h - reads an archive of the "newc" format (Linux, Documentation/driver-api/early-userspace/buffer-format.rst).
 * Nothing of it is believed before it was checked: an archive that is damaged ends where the damage begins.
 */
#ifndef AMALGAM_USER_CPIO_H
#define AMALGAM_USER_CPIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpio {
    const uint8_t *data;
    size_t size;
};

/* Name and contents lie in the archive. */
struct cpio_entry {
    const char *name; /* without "/" or "./" before it and "/" behind it; no NUL ends it; the root has none: length 0 */
    size_t name_length;
    const uint8_t *data;
    size_t size;
    uint32_t inode, mode, links, mtime;
};

/* The entry at *at, which then is where the next one begins; 0 is the first. Returns false at the archive's end. */
bool cpio_next(const struct cpio *archive, size_t *at, struct cpio_entry *entry);
/* The first entry of that name. */
bool cpio_find(const struct cpio *archive, const char *name, size_t length, struct cpio_entry *entry);

#endif
