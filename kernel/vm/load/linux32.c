/* SPDX-License-Identifier: MIT */
/*
 * linux32.c - the Linux 32-bit boot protocol (Documentation/x86/boot.rst), for an ELF file: it is entered at its start
 * with ESI = boot_params, flat segments 0x10 and 0x18, paging and interrupts off.
 *
 * The command line gets `amalgam`, by which a kernel that is built for ring 1 begins, and `reservetop`, by which any
 * leaves the last 4 MiB of addresses alone. Hardware is said to be of the kind that has no BIOS data.
 */
#include <bytes.h>
#include <string.h>
#include "loader.h"

#define OURS           "amalgam reservetop=4M "
#define CMDLINE_MOST   2047
#define SUBARCH_NOBIOS 1 /* hardware_subarch of lguest: no RTC, no BIOS */
/* Offsets in boot_params. */
#define BP_E820_N      0x1e8
#define BP_BOOT_FLAG   0x1fe
#define BP_MAGIC       0x202
#define BP_VERSION     0x206
#define BP_LOADER      0x210
#define BP_LOADFLAGS   0x211
#define BP_INITRD      0x218
#define BP_INITRD_SIZE 0x21c
#define BP_CMDLINE     0x228
#define BP_SUBARCH     0x23c
#define BP_E820        0x2d0

static void put_boot_params(struct loader *l)
{
    u8 *p = l->low + LOAD_INFO;
    p[BP_E820_N] = (u8)load_memory_map(l, p + BP_E820, 20);
    put16(p + BP_BOOT_FLAG, 0xaa55);
    put32(p + BP_MAGIC, 0x53726448); /* HdrS */
    put16(p + BP_VERSION, 0x20c);
    p[BP_LOADER] = 0xff; /* no number assigned */
    p[BP_LOADFLAGS] = 1;
    put32(p + BP_INITRD, (u32)l->initrd);
    put32(p + BP_INITRD_SIZE, l->initrd ? (u32)l->r.initrd_size : 0);
    put32(p + BP_CMDLINE, LOAD_CMDLINE);
    put32(p + BP_SUBARCH, SUBARCH_NOBIOS);
}

static const char *linux32_load(struct loader *l, u64 *entry)
{
    const size_t ours = sizeof(OURS) - 1, n = strlen(l->r.cmdline);
    const char *why = load_elf(l, 0, entry);
    if (why || (why = load_initrd(l, 4 * GIB)) || (why = load_cmdline(l, CMDLINE_MOST - ours)))
        return why;
    if (l->area)
        return "the image wants memory below 64 KiB, where its parameters are";
    put_boot_params(l);
    memmove(l->low + LOAD_CMDLINE + ours, l->low + LOAD_CMDLINE, n + 1);
    memcpy(l->low + LOAD_CMDLINE, OURS, ours);
    return NULL;
}

int guest_load_linux32(const struct load_request *r, struct guest_entry *e, const char **why)
{
    struct loader l = { .r = *r, .e = e, .error = -ENOEXEC, .image_start = ~0ul };
    u64 entry = 0;
    l.low = guest_ptr(r->memory, 0, 2 * MIB);
    const char *refused = !r->kernel_size ? "there is no kernel image"
                          : !l.low        ? "the guest needs at least 2 MiB of memory from address 0"
                                          : linux32_load(&l, &entry);
    *e = (struct guest_entry){ .rip = entry, .rsi = LOAD_INFO };
    *why = refused;
    return refused ? l.error : 0;
}
