/* SPDX-License-Identifier: MIT */
/*
 * guest_load(): patches to a valid image of each format.  Memory outside the guest is
 * ASan's to watch; the ROM area (ACPI tables lie there) must never change, and an accepted
 * image is entered below 4 GiB.
 */
#include <core/system_table.h>
#include <vm/load.h>
#include "patch.h"

#define RAM_SIZE (4 * MIB)
#define IMAGE    8192u
static u8 *ram, rom[0x60000], image[IMAGE], module[100];

static void build_bzimage(void)
{
    image[0x1f1] = 1;
    put16(image + 0x1fe, 0xaa55);
    image[0x201] = 0x6a;
    memcpy(image + 0x202, "HdrS", 4);
    put16(image + 0x206, 0x20f);
    image[0x211] = 1;
    put32(image + 0x22c, 0x7fffffff);
    put32(image + 0x230, 0x100000);
    image[0x234] = 1;
    put16(image + 0x236, 1);
    put32(image + 0x238, 2047);
    put64(image + 0x258, 0x200000);
    put32(image + 0x260, 0x10000);
}

static void build_elf(void)
{
    memcpy(image,
           "\x7f"
           "ELF\2\1\1",
           7);
    put16(image + 18, 62);
    put64(image + 24, 0x100010);
    put64(image + 32, 64);
    put16(image + 54, 56);
    put16(image + 56, 2);
    put32(image + 64, 1);
    put64(image + 64 + 8, 0x400);
    put64(image + 64 + 24, 0x100000);
    put64(image + 64 + 32, 0x100);
    put64(image + 64 + 40, 0x3000);
    put32(image + 120, 4);
    put64(image + 120 + 8, 0x200);
    put64(image + 120 + 32, 24);
    put32(image + 0x200, 4);
    put32(image + 0x204, 8);
    put32(image + 0x208, 18);
    memcpy(image + 0x20c, "Xen", 4);
    put64(image + 0x210, 0x100040);
}

static void build_multiboot1(bool flat)
{
    u8 *h = image + 0x300;
    put32(h, 0x1badb002);
    put32(h + 4, flat ? 1u << 16 : 3);
    put32(h + 12, 0x100300);
    put32(h + 16, 0x100000);
    put32(h + 24, 0x104000);
    put32(h + 28, 0x100000);
}

static void build_multiboot2(bool flat)
{
    u8 *h = image + 0x300;
    put32(h, 0xe85250d6);
    put32(h + 8, 16 + 24 + 16 + 8);
    put16(h + 16, flat ? 2 : 1);
    put32(h + 20, 24);
    put32(h + 24, flat ? 0x100300 : 6);
    put32(h + 28, flat ? 0x100000 : 1);
    put32(h + 32, flat ? 0 : 3);
    put32(h + 36, flat ? 0x104000 : 4);
    put16(h + 40, 3);
    put32(h + 44, 12);
    put32(h + 48, 0x100000);
    put32(h + 60, 8);
}

/* Either header's sum made right, so that patches to flags and lengths get past it. */
static void seal_headers(void)
{
    u8 *h = image + 0x300;
    put32(h + (get32(h) == 0x1badb002 ? 8 : 12),
          -(get32(h) + get32(h + 4) + (get32(h) == 0x1badb002 ? 0 : get32(h + 8))));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    struct guest_entry e;
    const char *why = NULL;

    if (size < 4)
        return 0;
    if (!ram) {
        ram = malloc(RAM_SIZE);
        memset(ram, 0x77, RAM_SIZE);
        memset(rom, 0x77, sizeof(rom));
    }
    struct guest_memory mem = { 1, { { 0, ram, RAM_SIZE } } };
    u8 boot = data[0] % 7; /* 0 and 6 are no boot protocol */
    bool flat = data[1] & 1;
    memset(image, 0, sizeof(image));
    if (boot == SYS_BOOT_LINUX64)
        build_bzimage();
    else if (!flat || boot == SYS_BOOT_PVH)
        build_elf();
    if (boot == SYS_BOOT_MULTIBOOT1)
        build_multiboot1(flat);
    if (boot == SYS_BOOT_MULTIBOOT2)
        build_multiboot2(flat);
    patch(image, 0x400, data + 4, size - 4);
    if ((boot == SYS_BOOT_MULTIBOOT1 || boot == SYS_BOOT_MULTIBOOT2) && !(data[1] & 2))
        seal_headers();
    u64 n = data[1] & 4 ? 0x200 + get16(data + 2) % 0x400 : IMAGE; /* cut off around headers, notes, segments */
    u8 *exact = malloc(n ? n : 1);
    memcpy(exact, image, n);
    struct load_request r = { .memory = &mem,
                              .boot = boot,
                              .kernel = exact,
                              .kernel_size = n,
                              .initrd = module,
                              .initrd_size = data[1] & 8 ? sizeof(module) : 0,
                              .cmdline = "a=b",
                              .entry = get64(image + 24), /* raw: patches reach it, as the ELF entry */
                              .rsdp = (u64)get16(data + 2) << 8 };
    int err = guest_load(&r, &e, &why);
    free(exact);
    if (memcmp(ram + 0xa0000, rom, sizeof(rom)) || (err ? !why : e.rip >= 4 * GIB))
        abort();
    return 0;
}
