/* SPDX-License-Identifier: MIT */
/*
 * arch/fdt.h - reads a flattened device tree (Devicetree Specification 0.4, chapter 5).
 *
 * A pure reader of `size` bytes that may hold anything: nothing is read outside of them. A node is the offset of its
 * FDT_BEGIN_NODE token in the structure block, plus 1, so that 0 is none. Nodes come in the order of the blob.
 */
#ifndef AMALGAM_ARCH_FDT_H
#define AMALGAM_ARCH_FDT_H

#include <types.h>

#define FDT_MAX_SIZE  0x100000u
#define FDT_MAX_DEPTH 16

struct fdt {
    const u8 *structure, *strings;
    u32 structure_size, strings_size;
};

/* 0, -EINVAL (no tree that we can read, or larger than `max` bytes). */
int fdt_open(struct fdt *f, const void *blob, u32 max);
/* The bytes that a blob says it has, before fdt_open(). */
u32 fdt_total_size(const void *blob);
/* The first node (`node` 0: the root, depth 0), or the one after `node`; 0 behind the last one, or where the blob is
 * malformed or deeper than FDT_MAX_DEPTH. *depth is that of `node`, and becomes the result's. */
u32 fdt_next(const struct fdt *f, u32 node, unsigned *depth);
const char *fdt_name(const struct fdt *f, u32 node);
/* A property of the node itself, and its bytes; NULL: it has none. */
const u8 *fdt_property(const struct fdt *f, u32 node, const char *name, u32 *size);
/* A property of one cell; `otherwise` where there is none of four bytes. */
u32 fdt_cell(const struct fdt *f, u32 node, const char *name, u32 otherwise);
/* Cells in a property's value: number `i`, big-endian; the caller has checked the size. */
u32 fdt_cell_at(const u8 *value, u32 i);
/* `n` cells from number `i` on, as one number: 0 (n is 0), 1 or 2 cells. */
u64 fdt_cells_at(const u8 *value, u32 i, u32 n);
/* One of the strings of a list is `wanted`. */
bool fdt_lists(const struct fdt *f, u32 node, const char *name, const char *wanted);

#endif
