/* SPDX-License-Identifier: MIT */
/*
 * loader.h - what the image formats share.  `struct loader` is one load in progress;
 * a format checks and places its image, then asks for the rest: command line,
 * module, entry state.  What can refuse the image returns the sentence that says why,
 * or NULL.
 */
#ifndef AMALGAM_VM_LOADER_H
#define AMALGAM_VM_LOADER_H

#include <core/system_table.h>
#include <errors.h>
#include <vm/load.h>

/* Layout of the area with what the loader hands over: at 0, where the BIOS data area comes first, or behind an image
 * that wants memory there. */
#define LOAD_BDA_EBDA    0x40eu /* segment of the extended BIOS data area */
#define LOAD_BDA_MEMORY  0x413u /* KiB of memory below that */
#define LOAD_GDT         0x1000u
#define LOAD_TABLES      0x2000u /* six pages: PML4, PDPT, four directories */
#define LOAD_INFO        0x8000u /* boot_params, start info: one page; Multiboot 2 information: to the area's end */
#define LOAD_CMDLINE     0x9000u
#define LOAD_CMDLINE_MAX 0x7000u
#define LOAD_AREA_END    0x10000u
#define LOAD_ROM         0x9fc00u /* extended BIOS data area, video memory, option ROMs, BIOS with its tables */
#define LOAD_HIGH        0x100000u

struct loader {
    struct load_request r;
    struct guest_entry *e;
    u8 *low;       /* the loader's area; until load_cmdline() the first MiB */
    gpa_t area;    /* its address */
    int error;     /* what guest_load() returns when the image is refused */
    bool is_low;   /* the image wants memory where the area would be */
    u64 image_end; /* above every byte of the placed image, and of the area behind it */
    gpa_t initrd;  /* where load_initrd() put it; 0: none */
};

/* Refuse the image for another reason than that it is no such image (-ENOEXEC). */
static inline const char *refuse(struct loader *l, int error, const char *why)
{
    l->error = error;
    return why;
}

/* The guest's memory map to `to`, entries of base, size, type (as E820 has them) `stride` bytes apart; returns how
 * many, at most 2 + GUEST_RANGES. */
unsigned load_memory_map(const struct loader *l, u8 *to, unsigned stride);

/* End of the RAM that starts at 0, as the memory map has it. */
u64 load_low_end(const struct loader *l);
/* [gpa, gpa + size) is RAM, outside the ROM area; sees whether the loader's area must give way. */
const char *load_check_range(struct loader *l, u64 gpa, u64 size);
/* `n` bytes of the file from offset `from` on to [gpa, gpa + size), which was checked; zeros after them. */
void load_place(struct loader *l, u64 gpa, u64 size, u64 from, u64 n);
/* The same for an image that is one piece, checked here: it ends at gpa + size. */
const char *load_whole(struct loader *l, u64 gpa, u64 size, u64 from, u64 n);
/* The first page behind the image, above 1 MiB. */
u64 load_behind(const struct loader *l);
/* Copy the initrd to the top of low RAM, below address `limit`, and above the image. */
const char *load_initrd(struct loader *l, u64 limit);
/* Choose the loader's area, clear it, copy the command line to LOAD_CMDLINE there; at most `max` bytes without its NUL.
 */
const char *load_cmdline(struct loader *l, u32 max);
/* Enter at `rip`, all else as in `state`. */
void load_enter(struct loader *l, const struct guest_entry *state, u64 rip);
/* Flat 32-bit protected mode without paging: descriptors for code and data are 1 and 2. */
extern const struct guest_entry load_flat32;
/* The debug registers after a reset. */
#define LOAD_DEBUG .dr7 = 0x400, .dr6 = 0xffff0ff0

/* An ELF file's segments into memory; *entry gets e_entry or, with `note_type` non-zero, the address in that Xen note.
 */
const char *load_elf(struct loader *l, u32 note_type, u64 *entry);

const char *load_linux64(struct loader *l);
const char *load_pvh(struct loader *l);
const char *load_multiboot(struct loader *l);

/* Multiboot information for version 1 or 2 at LOAD_INFO. */
void multiboot1_info(struct loader *l);
void multiboot2_info(struct loader *l);

#endif
