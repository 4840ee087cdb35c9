/* SPDX-License-Identifier: MIT */
/*
 * tables.c - makes the first page tables, before translation is on.
 *
 * Code here must not depend on the address at which it runs: everything is addressed relative to the program counter,
 * and only physical addresses are stored.
 *
 * The tables map the image's first 2 MiB (4 MiB with 32 bits; what one table of pages holds) with all rights, and the
 * device tree. cpu/paging.c makes them the final ones.
 */
#include <arch/boot.h>
#include <arch/fdt.h>
#include <arch/paging.h>

pte_t boot_table[1 + 2 * PT_TOP][PT_ENTRIES] __aligned(4096);
unsigned long kernel_satp;

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
    for (unsigned i = 0; i < PT_ENTRIES; i++)
        pages[i] = pte_of(image + i * PAGE_SIZE, PTE_DATA | PTE_X | PTE_G | PTE_V);
    pages = way(DEVICES_BASE, 1 + PT_TOP);
    for (unsigned i = 0; i <= FDT_MAX_SIZE / PAGE_SIZE; i++)
        pages[i] = pte_of(ALIGN_DOWN(tree, PAGE_SIZE) + i * PAGE_SIZE, PTE_CONST | PTE_G | PTE_V);
    return SATP_MODE | (unsigned long)boot_table >> PAGE_SHIFT;
}
