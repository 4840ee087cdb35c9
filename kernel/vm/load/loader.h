/* SPDX-License-Identifier: MIT */
/*
 * loader.h - what the image formats share.  `struct loader` is one load in progress;
 * a format checks and places its image, then asks for the rest: command line,
 * module, entry state.
 */
#ifndef AMALGAM_VM_LOADER_H
#define AMALGAM_VM_LOADER_H

#include <core/system_table.h>
#include <errors.h>
#include <vm/load.h>

/* Guest-physical layout of what the loader hands over; below LOAD_AREA_END, no image may lie there. */
#define LOAD_GDT         0x1000u
#define LOAD_TABLES      0x2000u /* six pages: PML4, PDPT, four directories */
#define LOAD_INFO        0x8000u /* boot_params, start info or Multiboot information: one page */
#define LOAD_CMDLINE     0x9000u
#define LOAD_CMDLINE_MAX 0x7000u
#define LOAD_AREA_END    0x10000u
#define LOAD_ROM         0xa0000u /* video memory, option ROMs, our ACPI tables, BIOS */
#define LOAD_HIGH        0x100000u

struct loader {
    const struct load_request *r;
    struct guest_entry *e;
    const char *why;
    u64 image_end; /* above every byte of the placed image */
    gpa_t initrd;  /* where place_initrd() put it; 0: none */
};

/* Keep the reason and return the error. */
static inline int refuse(struct loader *l, int error, const char *why)
{
    l->why = why;
    return error;
}

/* The guest's memory map to `to`, entries of base, size, type (as E820 has them) `stride` bytes apart; returns how
 * many, at most 4. */
unsigned load_memory_map(const struct loader *l, u8 *to, unsigned stride);

/* End of the RAM that starts at 0. */
u64 load_low_end(const struct loader *l);
/* [gpa, gpa + size) is RAM, outside the loader's area and the ROM area. */
int load_check_range(struct loader *l, u64 gpa, u64 size);
/* Copy the command line to LOAD_CMDLINE; at most `max` bytes with its NUL. */
int load_cmdline(struct loader *l, u64 max);
/* Copy the module to the top of low RAM, below `limit` and above the image. */
int load_initrd(struct loader *l, u64 limit);
/* Bytes of the loader's own area, zeroed. */
void *load_area(struct loader *l, gpa_t gpa, u64 size);
/* The page at LOAD_INFO, zeroed. */
u8 *load_info(struct loader *l);
/* Enter at `rip`, all else as in `state`. */
void load_enter(struct loader *l, const struct guest_entry *state, u64 rip);
/* Flat 32-bit protected mode without paging: descriptors for code and data are 1 and 2. */
extern const struct guest_entry load_flat32;
#define LOAD_TASK                                                                                                      \
    {                                                                                                                  \
        .attributes = 0x8b, .limit = 0x67                                                                              \
    }
#define LOAD_LOCAL                                                                                                     \
    {                                                                                                                  \
        .attributes = 0x82                                                                                             \
    }

/*
 * An ELF file's segments into memory; *entry gets e_entry. With `note_type`
 * non-zero, *note gets the address in that Xen note, -ENOEXEC without one.
 */
int load_elf(struct loader *l, u32 note_type, u64 *note, u64 *entry);

int load_linux64(struct loader *l);
int load_pvh(struct loader *l);
int load_multiboot(struct loader *l);

/* Multiboot information for version 1 or 2 at LOAD_INFO. */
void multiboot1_info(struct loader *l);
void multiboot2_info(struct loader *l);

#endif
