/* SPDX-License-Identifier: MIT */
/* fdt_image.h - writes a small device tree, for the unit test to damage by hand and the fuzzer by patches. */
#ifndef AMALGAM_TESTS_FDT_IMAGE_H
#define AMALGAM_TESTS_FDT_IMAGE_H

#include <string.h>
#include <types.h>

#define FDT_IMAGE  4096u /* room for the blob */
#define FDT_STRUCT 64u
#define FDT_TEXT   3072u /* where strings begin */

struct fdt_image {
    u8 *blob;
    u32 at, text; /* next byte of each block */
};

static inline void fdt_put(u8 *at, u32 v)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (u8)(v >> (24 - 8 * i));
}

static inline void fdt_cell_add(struct fdt_image *f, u32 v)
{
    fdt_put(f->blob + f->at, v);
    f->at += 4;
}

static inline void fdt_bytes(struct fdt_image *f, const void *p, u32 n)
{
    memcpy(f->blob + f->at, p, n);
    f->at = ALIGN_UP(f->at + n, 4u);
}

static inline void fdt_begin(struct fdt_image *f, const char *name)
{
    fdt_cell_add(f, 1);
    fdt_bytes(f, name, (u32)strlen(name) + 1);
}

static inline void fdt_end(struct fdt_image *f) { fdt_cell_add(f, 2); }

static inline void fdt_prop(struct fdt_image *f, const char *name, const void *value, u32 n)
{
    fdt_cell_add(f, 3);
    fdt_cell_add(f, n);
    fdt_cell_add(f, f->text - FDT_TEXT);
    fdt_bytes(f, value, n);
    memcpy(f->blob + f->text, name, strlen(name) + 1);
    f->text += (u32)strlen(name) + 1;
}

static inline void fdt_text(struct fdt_image *f, const char *name, const char *value)
{
    fdt_prop(f, name, value, (u32)strlen(value) + 1);
}

/* A property of up to 10 cells. */
static inline void fdt_cells(struct fdt_image *f, const char *name, u32 n, const u32 *cells)
{
    u8 bytes[40];
    for (u32 i = 0; i < n; i++)
        fdt_put(bytes + 4 * i, cells[i]);
    fdt_prop(f, name, bytes, 4 * n);
}
#define FDT_CELLS(f, name, ...) fdt_cells(f, name, sizeof((u32[]){ __VA_ARGS__ }) / 4, (const u32[]){ __VA_ARGS__ })

static inline void fdt_hart(struct fdt_image *f, u32 hart, const char *isa)
{
    fdt_begin(f, "cpu");
    fdt_text(f, "device_type", "cpu");
    FDT_CELLS(f, "reg", hart);
    fdt_text(f, "riscv,isa", isa);
    fdt_begin(f, "interrupt-controller");
    fdt_text(f, "compatible", "riscv,cpu-intc");
    FDT_CELLS(f, "phandle", 100 + hart);
    fdt_end(f);
    fdt_end(f);
}

static inline void fdt_finish(struct fdt_image *f)
{
    fdt_cell_add(f, 9);
    const u32 header[] = { 0xd00dfeed, FDT_IMAGE, FDT_STRUCT, FDT_TEXT,           40,
                           17,         16,        4,          f->text - FDT_TEXT, f->at - FDT_STRUCT };
    for (unsigned i = 0; i < ARRAY_SIZE(header); i++)
        fdt_put(f->blob + 4 * i, header[i]);
}

/* Cluster 0 of 1, whose node lists harts 3 and 7; behind it one that is not to be read. */
static inline void fdt_image_listed(u8 *blob)
{
    struct fdt_image f = { blob, FDT_STRUCT, FDT_TEXT };
    memset(blob, 0, FDT_IMAGE);
    fdt_begin(&f, "");
    fdt_begin(&f, "memory@80000000");
    FDT_CELLS(&f, "reg", 0, 0x80000000, 0x8000000);
    fdt_end(&f);
    fdt_begin(&f, "cluster");
    fdt_text(&f, "compatible", "amalgam,cluster");
    FDT_CELLS(&f, "amalgam,number", 0);
    FDT_CELLS(&f, "amalgam,count", 1);
    FDT_CELLS(&f, "amalgam,noc", 0, 0x90000000, 0, 0x10000);
    FDT_CELLS(&f, "amalgam,outbox", 0, 0x90000000, 0, 0x10000);
    FDT_CELLS(&f, "amalgam,doorbells", 0, 0x2f00000, 0, 0x1000);
    FDT_CELLS(&f, "amalgam,rings", 12, 1);
    FDT_CELLS(&f, "timebase-frequency", 1000000);
    FDT_CELLS(&f, "amalgam,harts", 3, 12, 7, 0xffffffff);
    fdt_prop(&f, "amalgam,sstc", "", 0);
    fdt_prop(&f, "amalgam,svnapot", "", 0);
    fdt_end(&f);
    fdt_begin(&f, "cpus");
    fdt_hart(&f, 9, "rv64imafdc");
    fdt_end(&f);
    fdt_end(&f);
    fdt_finish(&f);
}

/* Two harts, 4 and 5, and all that machine_read() looks for, in cluster 2 of 3. */
static inline void fdt_image(u8 *blob)
{
    struct fdt_image f = { blob, FDT_STRUCT, FDT_TEXT };
    memset(blob, 0, FDT_IMAGE);
    fdt_begin(&f, "");
    FDT_CELLS(&f, "#address-cells", 2);
    FDT_CELLS(&f, "#size-cells", 2);
    fdt_begin(&f, "chosen");
    fdt_text(&f, "bootargs", "quiet tagged");
    FDT_CELLS(&f, "rng-seed", 0x5eed0001, 0x5eed0002, 3, 4, 5, 6, 7, 8, 0x80000000);
    FDT_CELLS(&f, "linux,initrd-start", 0x84000000);
    FDT_CELLS(&f, "linux,initrd-end", 0, 0x84001000);
    fdt_end(&f);
    fdt_begin(&f, "reserved-memory");
    FDT_CELLS(&f, "#address-cells", 2);
    FDT_CELLS(&f, "#size-cells", 2);
    fdt_begin(&f, "mmode_resv0@80000000");
    FDT_CELLS(&f, "reg", 0, 0x80000000, 0, 0x80000);
    fdt_end(&f);
    fdt_end(&f);
    fdt_begin(&f, "memory@80000000");
    FDT_CELLS(&f, "reg", 0, 0x80000000, 0, 0x8000000);
    fdt_end(&f);
    fdt_begin(&f, "cpus");
    FDT_CELLS(&f, "#address-cells", 1);
    FDT_CELLS(&f, "#size-cells", 0);
    FDT_CELLS(&f, "timebase-frequency", 10000000);
    fdt_hart(&f, 4, "rv64imafdc_zicsr_sstc_svnapot");
    fdt_hart(&f, 5, "rv64imafdc_sstc_svnapot_zba");
    fdt_end(&f);
    fdt_begin(&f, "soc");
    FDT_CELLS(&f, "#address-cells", 2);
    FDT_CELLS(&f, "#size-cells", 2);
    fdt_begin(&f, "serial@10000000");
    fdt_text(&f, "compatible", "ns16550a");
    FDT_CELLS(&f, "reg", 0, 0x10000000, 0, 0x100);
    FDT_CELLS(&f, "interrupts", 10);
    fdt_end(&f);
    fdt_begin(&f, "plic@c000000");
    fdt_prop(&f, "compatible", "sifive,plic-1.0.0\0riscv,plic0", 30);
    FDT_CELLS(&f, "reg", 0, 0xc000000, 0, 0x600000);
    FDT_CELLS(&f, "interrupts-extended", 104, 11, 104, 9, 105, 11, 105, 9);
    fdt_end(&f);
    for (u32 i = 0; i < 3; i++) { /* in no order */
        fdt_begin(&f, "virtio_mmio");
        fdt_text(&f, "compatible", "virtio,mmio");
        FDT_CELLS(&f, "reg", 0, 0x10001000 + (i * 2 % 3) * 0x1000, 0, 0x1000);
        FDT_CELLS(&f, "interrupts", 1 + i * 2 % 3);
        fdt_end(&f);
    }
    fdt_begin(&f, "sswi@2f00100");
    fdt_text(&f, "compatible", "riscv,aclint-sswi");
    FDT_CELLS(&f, "reg", 0, 0x2f00100, 0, 0x4);
    FDT_CELLS(&f, "interrupts-extended", 105, 1);
    fdt_end(&f);
    fdt_begin(&f, "sswi@2f00000");
    fdt_text(&f, "compatible", "riscv,aclint-sswi");
    FDT_CELLS(&f, "reg", 0, 0x2f00000, 0, 0x8);
    FDT_CELLS(&f, "interrupts-extended", 106, 1, 104, 1); /* the first one is no hart's */
    fdt_end(&f);
    fdt_end(&f);
    fdt_begin(&f, "cluster");
    fdt_text(&f, "compatible", "amalgam,cluster");
    FDT_CELLS(&f, "amalgam,number", 2);
    FDT_CELLS(&f, "amalgam,count", 3);
    static const u8 clusters[3 * 16] = { [2 * 16 + 15] = 1 }; /* the last one has a DMA engine */
    fdt_prop(&f, "amalgam,clusters", clusters, sizeof(clusters));
    fdt_end(&f);
    fdt_end(&f);
    fdt_finish(&f);
}

#endif
