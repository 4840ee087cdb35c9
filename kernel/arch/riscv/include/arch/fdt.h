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

#include <seed.h>
#include <types.h>

#define FDT_MAX_SIZE  0x100000u
#define FDT_MAX_DEPTH 16
#define FDT_KNOWN     1024 /* bytes of the strings block in which a name is compared once only */

/* The properties that can be asked for (fdt.c has their names). */
enum fdt_name {
    FDT_ADDRESS_CELLS,
    FDT_SIZE_CELLS,
    FDT_COMPATIBLE,
    FDT_BOOTARGS,
#if SEED
    FDT_RNG_SEED,
#endif
    FDT_INITRD_START,
    FDT_INITRD_END,
    FDT_DEVICE_TYPE,
    FDT_REG,
    FDT_STATUS,
    FDT_ISA,
    FDT_PHANDLE,
    FDT_INTERRUPTS,
    FDT_INTERRUPTS_EXTENDED,
    FDT_REG_SHIFT,
    FDT_TIMEBASE_FREQUENCY,
    FDT_NUMBER, /* from here on "amalgam," stands before the name */
    FDT_COUNT,
    FDT_NOC,
    FDT_OUTBOX,
    FDT_DOORBELLS,
    FDT_RINGS,
    FDT_PATIENCE,
    FDT_AWAKE,
    FDT_ZEROED,
    FDT_CLUSTERS,
    FDT_HARTS,
    FDT_SSTC,
    FDT_SVNAPOT,
    FDT_NAMES
};

struct fdt {
    const u8 *structure, *strings;
    u32 structure_size, strings_size;
    u32 begun, body; /* the node that fdt_next() found last, and its first token */
    u32 node, rest;  /* the node of the last question (0: none), and the token after its properties */
    u32 next;        /* the enum fdt_name after the one that was compared last and is asked for */
    struct {
        u32 node, size;
        const u8 *value;
    } found[FDT_NAMES];  /* properties of `node`; of other nodes where .node is another one */
    u8 known[FDT_KNOWN]; /* what name begins at this offset: 1 + enum fdt_name; 0: not compared yet */
};

/* Check the header. Returns 0, or -EINVAL if this is no tree that we can read or it is larger than `max` bytes. */
int fdt_open(struct fdt *f, const void *blob, u32 max);
/* The size that the blob's header gives, in bytes. May be called before fdt_open(). */
u32 fdt_total_size(const void *blob);
/* The node after `node`; for `node` 0 the root. *depth is the depth of `node` and becomes the result's; the root has
 * 0. Returns 0 after the last node, and where the blob is malformed or deeper than FDT_MAX_DEPTH. */
u32 fdt_next(struct fdt *f, u32 node, unsigned *depth);
const char *fdt_name(const struct fdt *f, u32 node);
/* The value of a property of the node, and its size in bytes; NULL if the node has none. All of a node's properties are
 * read at the first question about it. */
const u8 *fdt_property(struct fdt *f, u32 node, enum fdt_name name, u32 *size);
/* The value of a property of one cell; `otherwise` if there is no such property of four bytes. */
u32 fdt_cell(struct fdt *f, u32 node, enum fdt_name name, u32 otherwise);
/* The value of a property of one or two cells, as one number; 0 if there is none. */
u64 fdt_number(struct fdt *f, u32 node, enum fdt_name name);
/* Cell number `i` of a value, big-endian. The caller has checked the size. */
u32 fdt_cell_at(const u8 *value, u32 i);
/* `n` cells (0, 1 or 2) from cell number `i` on, as one number. */
u64 fdt_cells_at(const u8 *value, u32 i, u32 n);
/* Whether one of the strings of a list of `size` bytes is `wanted`. NULL is an empty list. */
bool fdt_list_has(const u8 *value, u32 size, const char *wanted);
/* The same of a property's value. */
bool fdt_lists(struct fdt *f, u32 node, enum fdt_name name, const char *wanted);

#endif
