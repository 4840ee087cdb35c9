/* SPDX-License-Identifier: MIT */
/*
 * cpio.h - reads an archive of the "newc" format (Linux, Documentation/driver-api/early-userspace/buffer-format.rst).
 * Every field is checked before it is used: a damaged archive ends where the damage begins.
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

/* One entry; its name and contents lie in the archive. */
struct cpio_entry {
    const char *name; /* without leading "/" or "./" and trailing "/"; no NUL ends it; length 0: the root */
    size_t name_length;
    const uint8_t *data;
    size_t size;
    uint32_t inode, mode, links, mtime;
    uint32_t major, minor; /* of a device: what it is */
};

/* Read the entry at offset *at, 0 for the first, and set *at to the next one. Returns false at the archive's end. */
bool cpio_next(const struct cpio *archive, size_t *at, struct cpio_entry *entry);
/* Find the first entry of that name. Returns false if there is none. */
bool cpio_find(const struct cpio *archive, const char *name, size_t length, struct cpio_entry *entry);

#endif
