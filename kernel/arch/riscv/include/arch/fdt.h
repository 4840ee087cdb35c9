/* SPDX-License-Identifier: MIT */
/*
 * arch/fdt.h - reads a flattened device tree (Devicetree Specification 0.4, chapter 5).
 *
 * The bytes may hold anything: the reader never reads outside of them and has no state. A node is named by the offset
 * of its FDT_BEGIN_NODE token in the structure block plus 1, so that 0 means: no node. Nodes come in the order of the
 * blob.
 */
#ifndef AMALGAM_ARCH_FDT_H
#define AMALGAM_ARCH_FDT_H

#include <types.h>

#define FDT_MAX_SIZE  0x100000u
#define FDT_MAX_DEPTH 16
#define FDT_NOTED     16

struct fdt_property {
    const u8 *value;
    u32 name, size; /* offset in the strings block; bytes */
};

struct fdt {
    const u8 *structure, *strings;
    u32 structure_size, strings_size;
    /* A cache: the node of the last question (0: none), its first `n` properties, and the token after them. So the
     * tokens of a node are read once, not for each question. */
    u32 node, rest, n;
    struct fdt_property property[FDT_NOTED];
};

/* Check the header. Returns 0, or -EINVAL if this is no tree that we can read or it is larger than `max` bytes. */
int fdt_open(struct fdt *f, const void *blob, u32 max);
/* The size that the blob's header gives, in bytes. May be called before fdt_open(). */
u32 fdt_total_size(const void *blob);
/* The node after `node`; for `node` 0 the root. *depth is the depth of `node` and becomes the result's; the root has
 * 0. Returns 0 after the last node, and where the blob is malformed or deeper than FDT_MAX_DEPTH. */
u32 fdt_next(const struct fdt *f, u32 node, unsigned *depth);
const char *fdt_name(const struct fdt *f, u32 node);
/* The value of a property of the node, and its size in bytes; NULL if the node has none. */
const u8 *fdt_property(struct fdt *f, u32 node, const char *name, u32 *size);
/* The value of a property of one cell; `otherwise` if there is no such property of four bytes. */
u32 fdt_cell(struct fdt *f, u32 node, const char *name, u32 otherwise);
/* Cell number `i` of a value, big-endian. The caller has checked the size. */
u32 fdt_cell_at(const u8 *value, u32 i);
/* `n` cells (0, 1 or 2) from cell number `i` on, as one number. */
u64 fdt_cells_at(const u8 *value, u32 i, u32 n);
/* Whether one of the strings of a list of `size` bytes is `wanted`. NULL is an empty list. */
bool fdt_list_has(const u8 *value, u32 size, const char *wanted);
/* The same of a property's value. */
bool fdt_lists(struct fdt *f, u32 node, const char *name, const char *wanted);

#endif
