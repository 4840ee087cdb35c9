/* SPDX-License-Identifier: MIT */
/*
 * tables.c - makes the first page tables, before translation is on.
 *
 * Code here must not depend on the address at which it runs: everything is addressed relative to the program counter,
 * and only physical addresses are stored.
 *
 * The tables map the image's first 2 MiB (4 MiB with 32 bits; what one table of pages holds), of it the image with all
 * rights, and the device tree. cpu/paging.c makes them the final ones.
 */
#include <arch/boot.h>
#include <arch/fdt.h>
#include <arch/paging.h>

pte_t boot_table[1 + 2 * PT_TOP][PT_ENTRIES] __aligned(4096);
unsigned long kernel_satp;

extern const char image_start[], image_end[];

/* Map `n` pages that follow each other. */
static __init_text void map(pte_t *entry, unsigned long pa, unsigned n, pte_t flags)
{
    pte_t page = pte_of(pa, flags | PTE_G | PTE_V), step = pte_of(PAGE_SIZE, 0);
    for (const pte_t *end = entry + n; entry < end; page += step)
        *entry++ = page;
}

/* Link the tables that map `va`, boot_table[next] and those after it, and return the lowest. */
static __init_text pte_t *way(unsigned long va, unsigned next)
{
    pte_t *table = boot_table[0];
    for (unsigned level = PT_TOP; level; level--) {
        table[pt_index(va, level)] = pte_of((unsigned long)boot_table[next], PTE_V);
        table = boot_table[next++];
    }
    return table;
}

__init_text unsigned long boot_tables(unsigned long image, unsigned long tree)
{
    pte_t *pages = way(LINEAR_BASE, 1);
    unsigned own = (unsigned)((image_end - image_start) / PAGE_SIZE);
    map(pages, image, own, PTE_DATA | PTE_X);
    map(pages + own, image + own * PAGE_SIZE, PT_ENTRIES - own, PTE_DATA);
    u32 size = MIN(fdt_total_size((const void *)tree), FDT_MAX_SIZE);
    map(way(DEVICES_BASE, 1 + PT_TOP), ALIGN_DOWN(tree, PAGE_SIZE), (tree % PAGE_SIZE + size) / PAGE_SIZE + 1,
        SEED ? PTE_DATA : PTE_CONST); /* seed_take() clears what it has read */
    return SATP_MODE | (unsigned long)boot_table >> PAGE_SHIFT;
}
