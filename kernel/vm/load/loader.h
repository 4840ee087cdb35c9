/* SPDX-License-Identifier: MIT */
/*
 * loader.h - shared by the loaders of all image formats. `struct loader` is one load. A format checks and copies its
 * image, then asks for the rest: command line, module, entry state. Functions that can refuse the image return NULL or
 * the sentence that says why.
 */
#ifndef AMALGAM_VM_LOADER_H
#define AMALGAM_VM_LOADER_H

#include <errors.h>
#include <vm/load.h>
#include <vm/system_part.h>

/* Layout of the loader's area: at 0, where the BIOS data area comes first, or behind an image that wants memory
 * there. */
#define LOAD_BDA_EBDA    0x40eu /* segment of the extended BIOS data area */
#define LOAD_BDA_MEMORY  0x413u /* KiB of memory below the extended BIOS data area */
#define LOAD_GDT         0x1000u
#define LOAD_TABLES      0x2000u /* six pages: PML4, PDPT, four directories */
#define LOAD_INFO        0x8000u /* boot_params or start info: one page; Multiboot 2 information: to the area's end */
#define LOAD_CMDLINE     0x9000u
#define LOAD_CMDLINE_MAX 0x7000u
#define LOAD_AREA_END    0x10000u
#define LOAD_ROM         0x9fc00u /* extended BIOS data area, video memory, option ROMs, BIOS with its tables */
#define LOAD_RESET       0xffff0u /* F000:FFF0, where a PC begins */
#define LOAD_HIGH        0x100000u

#define LOAD_SECTIONS_MAX 64 /* they fit into the Multiboot 2 information */

/* Section headers in the guest's memory, as Multiboot describes them; n 0: none. */
struct load_sections {
    u32 n, size, at, names; /* names: index of the section with the names */
};

struct loader {
    struct load_request r;
    struct guest_entry *e;
    u8 *low;         /* the loader's area; before load_cmdline() the first MiB */
    gpa_t area;      /* its guest-physical address */
    int error;       /* returned by guest_load() when the image is refused */
    bool is_low;     /* the image overlaps the area's usual place */
    u64 image_end;   /* end of the image, and of the area if it is behind the image */
    gpa_t initrd;    /* address of the initrd; 0: none */
    u64 image_start; /* lowest address of an ELF file's segments */
    struct load_sections sections;
};

/* Refuse the image for a demand that has a number: '#' in `why`, of at most LOAD_REFUSAL - 2 letters, becomes its two
 * digits, if it has no more. */
const char *refuse_number(struct loader *l, const char *why, u32 number);
/* Refuse the image with another error than -ENOEXEC. */
static inline const char *refuse(struct loader *l, int error, const char *why)
{
    l->error = error;
    return why;
}

/* Write the guest's memory map to `to`: entries of base, size, type (as in E820), `stride` bytes apart. Returns their
 * number, at most 2 + GUEST_RANGES. */
unsigned load_memory_map(const struct loader *l, u8 *to, unsigned stride);

/* Returns the end of the RAM at 0 in the memory map. */
u64 load_low_end(const struct loader *l);
/* Check that [gpa, gpa + size) is RAM outside the ROM area, and note whether the loader's area must move. */
const char *load_check_range(struct loader *l, u64 gpa, u64 size);
/* Copy `n` bytes of the file from offset `from` to [gpa, gpa + size), which was checked, and clear the rest. */
void load_place(struct loader *l, u64 gpa, u64 size, u64 from, u64 n);
/* The same with the check, for an image in one piece, which ends at gpa + size. */
const char *load_whole(struct loader *l, u64 gpa, u64 size, u64 from, u64 n);
/* Returns the first page behind the image and above 1 MiB. */
u64 load_behind(const struct loader *l);
/* Copy the initrd to the top of low RAM, below address `limit` and above the image. */
const char *load_initrd(struct loader *l, u64 limit);
/* Choose and clear the loader's area, and copy the command line to LOAD_CMDLINE in it; at most `max` bytes without
 * the NUL. */
const char *load_cmdline(struct loader *l, u32 max);
/* Set the entry state to `state` with `rip`. */
void load_enter(struct loader *l, const struct guest_entry *state, u64 rip);
/* Flat 32-bit protected mode without paging; descriptor 1 is code, 2 is data. */
extern const struct guest_entry load_flat32;
/* The debug registers after a reset. */
#define LOAD_DEBUG .dr7 = 0x400, .dr6 = 0xffff0ff0

/* Load the segments of an ELF file. *entry becomes the physical address of e_entry, which is virtual, or, with
 * `note_type` non-zero, the address in that Xen note. If no segment holds e_entry it is taken for physical. */
const char *load_elf(struct loader *l, u32 note_type, u64 *entry);
/* Load its sections behind the image and set l->sections. After load_elf(). */
void load_sections(struct loader *l);

const char *load_linux64(struct loader *l);
const char *load_pvh(struct loader *l);
const char *load_multiboot(struct loader *l);

/* Write the Multiboot information of version 1 or 2 at LOAD_INFO; `relocatable`: with the address of the image. */
void multiboot1_info(struct loader *l, bool relocatable);
void multiboot2_info(struct loader *l, bool relocatable);

#endif
