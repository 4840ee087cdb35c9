/* SPDX-License-Identifier: MIT */
/*
 * bzimage.c - the Linux 64-bit boot protocol (Documentation/x86/boot.rst, "64-bit Boot Protocol"): the protected-mode
 * part of a bzImage is loaded at its preferred address and entered at offset 0x200 with paging on, an identity map, and
 * RSI = boot_params.
 */
#include <bytes.h>
#include <string.h>
#include "loader.h"

#define HEADER       0x1f1 /* offset of the setup header in the file and in boot_params */
#define HEADER_END   0x290 /* boot_params has other fields from here on */
#define HEADER_MAGIC 0x202 /* the operand of the header's jump counts from here */
#define BP_ACPI_RSDP 0x070
#define BP_E820_N    0x1e8
#define BP_E820      0x2d0

struct setup_header {
    u8 setup_sects; /* 0 means 4 */
    u16 root_flags;
    u32 syssize;
    u16 ram_size, vid_mode, root_dev, boot_flag;
    u8 jump, length; /* length from HEADER_MAGIC on */
    u32 magic;
    u16 version;
    u32 realmode_swtch;
    u16 start_sys_seg, kernel_version;
    u8 type_of_loader, loadflags;
    u16 setup_move_size;
    u32 code32_start, ramdisk_image, ramdisk_size, bootsect_kludge;
    u16 heap_end_ptr;
    u8 ext_loader_ver, ext_loader_type;
    u32 cmd_line_ptr, initrd_addr_max, kernel_alignment;
    u8 relocatable_kernel, min_alignment;
    u16 xloadflags;
    u32 cmdline_size, hardware_subarch;
    u64 hardware_subarch_data;
    u32 payload_offset, payload_length;
    u64 setup_data, pref_address;
    u32 init_size;
    u8 later[HEADER_END - 0x264];
} __packed;
_Static_assert(sizeof(struct setup_header) == HEADER_END - HEADER && offsetof(struct setup_header, init_size) == 0x6f,
               "layout");

#define PTE_TABLE 0x3u /* present, writable */
#define PTE_2M    0x83u

/* Descriptors for 64-bit code (__BOOT_CS) and data (__BOOT_DS). */
static const u64 long_mode_gdt[] = { 0, 0, 0x00af9b000000ffff, 0x00cf93000000ffff };

static const char *check_header(const struct setup_header *h)
{
    if (h->boot_flag != 0xaa55 || h->magic != 0x53726448) /* HdrS */
        return "the kernel is not a bzImage";
    if (h->version < 0x20c || !(h->xloadflags & 1) || !(h->loadflags & 1))
        return "the bzImage has no 64-bit entry (boot protocol 2.12)";
    return NULL;
}

/* Linux moves itself to its preferred address if it was loaded below, and would overwrite other data there. So it is
 * loaded there. */
static const char *check_address(struct loader *l, u64 at, u64 need)
{
    const char *why = load_check_range(l, at, need);

    if (!why && (at < LOAD_HIGH || at + need > 4 * GIB))
        why = "the bzImage prefers an address below 1 MiB or above 4 GiB";
    return why;
}

/* Identity map of the first 4 GiB, which hold the kernel, its parameters and its initrd. */
static void put_page_tables(struct loader *l)
{
    u8 *t = l->low + LOAD_TABLES;

    put64(t, (LOAD_TABLES + PAGE_SIZE) | PTE_TABLE);
    for (u64 i = 0; i < 4; i++)
        put64(t + PAGE_SIZE + i * 8, (LOAD_TABLES + (2 + i) * PAGE_SIZE) | PTE_TABLE);
    for (u64 i = 0; i < 4 * 512; i++)
        put64(t + 2 * PAGE_SIZE + i * 8, i * 2 * MIB | PTE_2M);
}

static void put_boot_params(struct loader *l, struct setup_header *h, u64 at)
{
    u8 *p = l->low + LOAD_INFO;

    put64(p + BP_ACPI_RSDP, l->r.rsdp);
    p[BP_E820_N] = (u8)load_memory_map(l, p + BP_E820, 20);
    h->vid_mode = 0xffff;     /* "normal" */
    h->type_of_loader = 0xff; /* no number assigned */
    h->code32_start = (u32)at;
    h->cmd_line_ptr = LOAD_CMDLINE;
    h->ramdisk_image = (u32)l->initrd;
    h->ramdisk_size = l->initrd ? (u32)l->r.initrd_size : 0;
    h->setup_data = 0; /* none */
    memcpy(p + HEADER, h, MIN(HEADER_MAGIC - HEADER + (size_t)h->length, sizeof(*h)));
}

static const struct guest_entry long_mode = {
    .rsi = LOAD_INFO,
    .rflags = 2,
    LOAD_DEBUG,
    .cr0 = 0x80000011, /* PG, ET, PE */
    .cr3 = LOAD_TABLES,
    .cr4 = 0x20,   /* PAE */
    .efer = 0x500, /* LME, LMA */
    .cs = { .selector = 0x10, .attributes = 0xa9b, .limit = 0xffffffff },
    .data = { .selector = 0x18, .attributes = 0xc93, .limit = 0xffffffff },
    .gdt_base = LOAD_GDT,
    .gdt_limit = sizeof(long_mode_gdt) - 1,
};

const char *load_linux64(struct loader *l)
{
    struct setup_header h;
    const char *why;

    if (l->r.kernel_size < HEADER_END)
        return "the kernel is not a bzImage";
    memcpy(&h, (const u8 *)l->r.kernel + HEADER, sizeof(h));
    if ((why = check_header(&h)))
        return why;
    u32 setup = ((h.setup_sects ? h.setup_sects : 4) + 1) * 512u;
    if (setup + 0x200 >= l->r.kernel_size)
        return "the bzImage ends within its setup code";
    u64 size = l->r.kernel_size - setup, need = MAX(size, h.init_size), at = h.pref_address;
    if ((why = check_address(l, at, need)))
        return why;
    l->image_end = at + need;
    if ((why = load_initrd(l, h.initrd_addr_max + 1ull)) || (why = load_cmdline(l, h.cmdline_size)))
        return why;
    load_place(l, at, size, setup, size);
    put_page_tables(l);
    put_boot_params(l, &h, at);
    memcpy(l->low + LOAD_GDT, long_mode_gdt, sizeof(long_mode_gdt));
    load_enter(l, &long_mode, at + 0x200);
    return NULL;
}
