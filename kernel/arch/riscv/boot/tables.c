/* SPDX-License-Identifier: MIT */
/*
 * tables.c - the first page tables, made before translation is on: what is read and called here is reached from the
 * program counter, and no pointer is stored but physical ones.
 *
 * They map what one table of pages holds from the image on (2 MiB, or 4 MiB with 32 bits), with all rights, and the
 * device tree. cpu/paging.c makes them the final ones.
 */
#include <arch/boot.h>
#include <arch/fdt.h>
#include <arch/paging.h>

pte_t boot_table[1 + 2 * PT_TOP][PT_ENTRIES] __aligned(4096);
unsigned long kernel_satp;

/* The table of pages for `va`; boot_table[next] and the ones behind it become the tables on the way. */
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
