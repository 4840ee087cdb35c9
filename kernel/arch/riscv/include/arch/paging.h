/* SPDX-License-Identifier: MIT */
/* arch/paging.h (RISC-V) - entries of page tables (privileged architecture, 4.3.1), and the kernel's own tables. */
#ifndef AMALGAM_ARCH_PAGING_H
#define AMALGAM_ARCH_PAGING_H

#include <arch/pte.h>
#include <types.h>

typedef unsigned long pte_t;

#define PTE_V (1ul << 0)
#define PTE_R (1ul << 1)
#define PTE_W (1ul << 2)
#define PTE_X (1ul << 3)
#define PTE_U (1ul << 4)
#define PTE_G (1ul << 5)
#define PTE_A (1ul << 6)
#define PTE_D (1ul << 7)

#define PTE_LEAF (PTE_R | PTE_W | PTE_X) /* if none is set, the entry points to a table */
/* A and D are set in advance, because a hart may leave that to software (4.3.1). */
#define PTE_DATA  (PTE_R | PTE_W | PTE_A | PTE_D)
#define PTE_CONST (PTE_R | PTE_A)
#define PTE_TEXT  (PTE_R | PTE_X | PTE_A)

#define PT_ENTRIES (1u << PT_BITS)
#define PT_TOP     (PT_LEVELS - 1)

static inline unsigned pt_shift(unsigned level) { return PAGE_SHIFT + level * PT_BITS; }
static inline unsigned pt_index(unsigned long va, unsigned level) { return va >> pt_shift(level) & (PT_ENTRIES - 1); }
static inline pte_t pte_of(paddr_t pa, pte_t flags) { return (pte_t)(pa >> PAGE_SHIFT << 10) | flags; }
static inline paddr_t pte_address(pte_t e) { return (paddr_t)((e & PTE_PPN) >> 10) << PAGE_SHIFT; }

/* The tables that boot makes (boot/tables.c): the root, then those that map the image, then those that map the device
 * tree. */
extern pte_t boot_table[1 + 2 * PT_TOP][PT_ENTRIES];
/* The value of satp for the kernel's own tables. */
extern unsigned long kernel_satp;

/* Give the image's sections their final rights, and map all memory. Boot, hart 0. */
void paging_init(void);
/* Map [va, va+size) to pa with `flags` (PTE_* without V). Only whole pages, none of which is mapped. Returns 0,
 * -EEXIST or -ENOMEM. Boot, or under a lock of the caller. */
int paging_map(unsigned long va, paddr_t pa, u64 size, pte_t flags);
/* The entry of a page of the image. The image is always mapped in 4 KiB pages. */
pte_t *paging_image_entry(const void *p);
/* Flush all translations of this hart. */
static inline void paging_flush(void) { __asm__ volatile("sfence.vma" ::: "memory"); }

#endif
