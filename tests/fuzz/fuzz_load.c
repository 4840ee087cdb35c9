/* SPDX-License-Identifier: MIT */
/*
 * guest_load(): patches to a valid image of each format.  Memory outside the guest is
 * ASan's to watch; the ROM area (ACPI tables lie there) must never change, and an accepted
 * image is entered below 4 GiB.
 */
#include <vm/system_part.h>
#include <vm/load.h>
#include "images.h"
#include "patch.h"

#define RAM_SIZE (4 * MIB)
#define IMAGE    8192u
#define MODULES  100u /* bytes: a list of up to three, and what they name */
static u8 *ram, rom[0x60000], image[IMAGE];

#define HEADER (image + 0x300)

static void build_multiboot1(bool flat)
{
    image_multiboot1(HEADER, flat ? 1u << 16 : 3);
    image_multiboot1_flat(HEADER, 0x100300, 0x100000, 0, 0x104000, 0x100000);
}

static void build_multiboot2(bool flat)
{
    u8 *t = image_multiboot2(HEADER, 24 + 16);
    if (flat)
        t = image_tag(t, 2, 4, (const u32[]){ 0x100300, 0x100000, 0, 0x104000 });
    else
        t = image_tag(t, 1, 4, (const u32[]){ 6, 1, 3, 4 });
    image_tag(t, 3, 1, (const u32[]){ 0x100000 });
}

/* Either header's sum made right, so that patches to flags and lengths get past it. */
static void seal_headers(void)
{
    u8 *h = HEADER;
    put32(h + (get32(h) == 0x1badb002 ? 8 : 12),
          -(get32(h) + get32(h + 4) + (get32(h) == 0x1badb002 ? 0 : get32(h + 8))));
}

/* Modules as a system image has them; the list and the words in it are the input's, or right. */
static u8 *build_modules(const u8 *data, size_t size, bool wild)
{
    static const struct sys_module right[3] = { { 64, 100, 60, 0 }, { 80, 90, 61, 0 }, { 100, 100, 62, 0 } };
    u8 *modules = malloc(MODULES); /* ASan sees reads behind them */
    memset(modules, 0, MODULES);
    memcpy(modules, right, sizeof(right));
    memcpy(modules, data, wild ? MIN(size, (size_t)MODULES) : 0);
    return modules;
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
        image_bzimage(image, 1, 0x100000, 0x200000, 0x10000);
    else if (!flat || boot == SYS_BOOT_PVH) {
        image_elf64(image, 0x100000, 0x400, 0x200);
        put64(image + 40, 0x300); /* three section headers */
        put16(image + 58, 64);
        put16(image + 60, 3);
    }
    if (boot == SYS_BOOT_MULTIBOOT1)
        build_multiboot1(flat);
    if (boot == SYS_BOOT_MULTIBOOT2)
        build_multiboot2(flat);
    patch(image, 0x400, data + 4, size - 4);
    if ((boot == SYS_BOOT_MULTIBOOT1 || boot == SYS_BOOT_MULTIBOOT2) && !(data[1] & 2))
        seal_headers();
    u64 n = data[1] & 4 ? 0x200 + get16(data + 2) % 0x400 : IMAGE; /* cut off around headers, notes, segments */
    u8 *modules = build_modules(data + 4, size - 4, data[1] & 16), *exact = malloc(n ? n : 1);
    memcpy(exact, image, n);
    struct load_request r = { .memory = &mem,
                              .boot = boot,
                              .kernel = exact,
                              .kernel_size = n,
                              .initrd = modules,
                              .initrd_size = data[1] & 8 ? MODULES : 0,
                              .n_modules = data[1] >> 6,
                              .cmdline = "a=b",
                              .entry = get64(image + 24), /* raw: patches reach it, as the ELF entry */
                              .rsdp = (u64)get16(data + 2) << 8 };
    int err = guest_load(&r, &e, &why);
    free(exact);
    free(modules);
    if (memcmp(ram + 0xa0000, rom, 0xffff0 - 0xa0000) /* there the code that resets begins */ ||
        (err ? !why : e.rip >= 4 * GIB))
        abort();
    return 0;
}
