/* SPDX-License-Identifier: MIT */
/*
 * bzimage.c - the Linux 64-bit boot protocol (Documentation/x86/boot.rst, "64-bit Boot
 * Protocol"): the protected-mode part of a bzImage at its preferred address, entered
 * 0x200 bytes in with paging on, identity mapped, RSI = boot_params.
 */
#include <bytes.h>
#include <string.h>
#include "loader.h"

/* Fields of the setup header, offsets in the file and in boot_params alike. */
enum {
    BP_ACPI_RSDP = 0x070,
    BP_E820_ENTRIES = 0x1e8,
    HDR_SETUP_SECTS = 0x1f1,
    HDR_VID_MODE = 0x1fa,
    HDR_BOOT_FLAG = 0x1fe,
    HDR_JUMP = 0x200, /* its operand byte says where the header ends */
    HDR_MAGIC = 0x202,
    HDR_VERSION = 0x206,
    HDR_LOADER = 0x210,
    HDR_LOADFLAGS = 0x211,
    HDR_CODE32 = 0x214,
    HDR_RAMDISK = 0x218,
    HDR_RAMDISK_SIZE = 0x21c,
    HDR_CMDLINE = 0x228,
    HDR_INITRD_MAX = 0x22c,
    HDR_ALIGNMENT = 0x230,
    HDR_RELOCATABLE = 0x234,
    HDR_XLOADFLAGS = 0x236,
    HDR_CMDLINE_SIZE = 0x238,
    HDR_PREF_ADDRESS = 0x258,
    HDR_INIT_SIZE = 0x260,
    HDR_SMALLEST = 0x264,
    HDR_END_MAX = 0x290, /* boot_params has other things from here */
    BP_E820 = 0x2d0,
};

#define PTE_TABLE 0x3u /* present, writable */
#define PTE_2M    0x83u

/* Of the descriptors 64-bit code (__BOOT_CS) and data (__BOOT_DS). */
static const u64 long_mode_gdt[] = { 0, 0, 0x00af9b000000ffff, 0x00cf93000000ffff };

static int check_header(struct loader *l, const u8 *k)
{
    if (l->r->kernel_size < HDR_END_MAX || get16(k + HDR_BOOT_FLAG) != 0xaa55 || memcmp(k + HDR_MAGIC, "HdrS", 4))
        return refuse(l, -ENOEXEC, "the kernel is not a bzImage");
    if (get16(k + HDR_VERSION) < 0x20c || !(get16(k + HDR_XLOADFLAGS) & 1) || !(k[HDR_LOADFLAGS] & 1))
        return refuse(l, -ENOEXEC, "the bzImage has no 64-bit entry (boot protocol 2.12)");
    return 0;
}

/* Choose the kernel's address: the preferred one, or the lowest that it can be moved to. */
static int choose_address(struct loader *l, const u8 *k, u64 need, u64 *at)
{
    u64 align = get32(k + HDR_ALIGNMENT);

    *at = get64(k + HDR_PREF_ADDRESS);
    if (*at >= LOAD_HIGH && *at < 4 * GIB && !load_check_range(l, *at, need) && *at + need <= 4 * GIB)
        return 0;
    if (!k[HDR_RELOCATABLE] || !align || (align & (align - 1)))
        return refuse(l, -ENOMEM, "the guest's memory does not reach to where this kernel must lie");
    *at = ALIGN_UP((u64)LOAD_HIGH, align);
    return load_check_range(l, *at, need);
}

/* Identity map of the first 4 GiB: present everywhere the kernel, its parameters and its initrd can be. */
static void put_page_tables(struct loader *l)
{
    u8 *t = load_area(l, LOAD_TABLES, 6 * PAGE_SIZE);

    put64(t, (LOAD_TABLES + PAGE_SIZE) | PTE_TABLE);
    for (u64 i = 0; i < 4; i++)
        put64(t + PAGE_SIZE + i * 8, (LOAD_TABLES + (2 + i) * PAGE_SIZE) | PTE_TABLE);
    for (u64 i = 0; i < 4 * 512; i++)
        put64(t + 2 * PAGE_SIZE + i * 8, i * 2 * MIB | PTE_2M);
}

static void put_boot_params(struct loader *l, const u8 *k, u64 at)
{
    u8 *p = load_info(l);
    u64 end = MIN((u64)HDR_MAGIC + k[HDR_JUMP + 1], (u64)HDR_END_MAX);

    memcpy(p + HDR_SETUP_SECTS, k + HDR_SETUP_SECTS, end - HDR_SETUP_SECTS);
    put64(p + BP_ACPI_RSDP, l->r->rsdp);
    p[BP_E820_ENTRIES] = (u8)load_memory_map(l, p + BP_E820, 20);
    put16(p + HDR_VID_MODE, 0xffff); /* "normal" */
    p[HDR_LOADER] = 0xff;            /* no number assigned */
    put32(p + HDR_CODE32, (u32)at);
    put32(p + HDR_CMDLINE, LOAD_CMDLINE);
    put32(p + HDR_RAMDISK, (u32)l->initrd);
    put32(p + HDR_RAMDISK_SIZE, l->initrd ? (u32)l->r->initrd_size : 0);
    memset(p + 0x250, 0, 8); /* setup_data: none */
}

static const struct guest_entry long_mode = {
    .rsi = LOAD_INFO,
    .rflags = 2,
    .cr0 = 0x80000011, /* PG, ET, PE */
    .cr3 = LOAD_TABLES,
    .cr4 = 0x20,   /* PAE */
    .efer = 0x500, /* LME, LMA */
    .cs = { .selector = 0x10, .attributes = 0xa9b, .limit = 0xffffffff },
    .data = { .selector = 0x18, .attributes = 0xc93, .limit = 0xffffffff },
    .tr = LOAD_TASK,
    .ldtr = LOAD_LOCAL,
    .gdt_base = LOAD_GDT,
    .gdt_limit = sizeof(long_mode_gdt) - 1,
};

int load_linux64(struct loader *l)
{
    const u8 *k = l->r->kernel;
    u64 at, size;
    int err = check_header(l, k);

    if (err)
        return err;
    u64 setup = ((k[HDR_SETUP_SECTS] ? k[HDR_SETUP_SECTS] : 4) + 1) * 512u; /* 0 means 4 */
    if (setup + 0x200 >= l->r->kernel_size)
        return refuse(l, -ENOEXEC, "the bzImage ends within its setup code");
    size = l->r->kernel_size - setup;
    u64 need = MAX(size, (u64)get32(k + HDR_INIT_SIZE));
    if ((err = choose_address(l, k, need, &at)))
        return err;
    l->image_end = at + need;
    if ((err = load_initrd(l, (u64)get32(k + HDR_INITRD_MAX) + 1)) ||
        (err = load_cmdline(l, (u64)get32(k + HDR_CMDLINE_SIZE) + 1)))
        return err;
    memcpy(guest_ptr(l->r->memory, at, size), k + setup, size);
    put_page_tables(l);
    put_boot_params(l, k, at);
    memcpy(load_area(l, LOAD_GDT, sizeof(long_mode_gdt)), long_mode_gdt, sizeof(long_mode_gdt));
    load_enter(l, &long_mode, at + 0x200);
    return 0;
}
