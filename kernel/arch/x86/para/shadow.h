/* SPDX-License-Identifier: MIT */
/*
 * shadow.h - the page tables that the processor has while a guest runs: shadows of the guest's, which work as a TLB.
 *
 * An entry is filled in when the processor misses it, and goes when what it was filled from may have changed: at
 * INVLPG, at a change of CR0 or CR4, at a load of CR3. So no write of the guest to its tables is seen, or need be.
 *
 * A *space* is the shadow of one page directory. A load of CR3 empties a TLB; here the entries of the space that is
 * loaded are looked up once more in the guest's tables, which is cheaper than to miss them one by one and ends in the
 * same. Where the guest says that nothing has changed (PARA_LOAD_CR3) not even that. All spaces share the tables of
 * the kernel's half, 3 GiB and above: with CR4.PGE a guest keeps it through loads of CR3.
 *
 * Pure but for the pages that shadow_init() is given: tests/unit/test_para_shadow.c has a model beside it.
 */
#ifndef AMALGAM_X86_PARA_SHADOW_H
#define AMALGAM_X86_PARA_SHADOW_H

#include <types.h>

#define SHADOW_SPACES   8
#define SHADOW_TABLES   96
#define SHADOW_FILLED   120 /* entries of a space that a load of CR3 looks up; with more it empties the space */
#define SHADOW_PAGES    (SHADOW_SPACES + 1 + SHADOW_TABLES)
#define SHADOW_KERNEL   768 /* first entry of a directory that all spaces share */
#define SHADOW_TOP      1023
#define SHADOW_FIXED    4 /* pages at the beginning of the last table that are none of the guest's */
#define SHADOW_FIXED_AT 0xffc00000u
#define SHADOW_LOCAL    32 /* pages of the kernel's half that are not global and forgotten one by one */

#define ENTRY_P      1u
#define ENTRY_W      2u
#define ENTRY_U      4u
#define ENTRY_A      0x20u
#define ENTRY_D      0x40u
#define ENTRY_PS     0x80u
#define ENTRY_G      0x100u
#define ENTRY_FRAME  0xfffff000u
#define ENTRY_LISTED 0x200u /* for software: the page is in its space's list */

/* Where the fixed pages lie nothing of the guest's does. */
static inline bool shadow_is_fixed(u32 va) { return va - SHADOW_FIXED_AT < SHADOW_FIXED * 4096; }

typedef u32 shadow_page[1024];

struct shadow_space {
    u32 cr3, number, generation; /* what it is the shadow of; number 0: the guest did not say */
    u32 *directory;
    unsigned n_tables, n_filled;
    bool over;                 /* more were filled than `filled` holds */
    u16 tables[SHADOW_KERNEL]; /* entries of the directory that are present, below the kernel's */
    u32 filled[SHADOW_FILLED]; /* pages that were filled; some are empty again */
};

struct shadow {
    struct shadow_space space[SHADOW_SPACES], *current;
    u32 root;      /* the directory that the processor is to have, as an address for CR3: the current space's */
    unsigned next; /* space that is taken next */
    unsigned most; /* that a load of CR3 looks up: SHADOW_FILLED, or fewer; before the guest begins */
    shadow_page *pages;
    u32 at; /* address of the pages, as entries have it */
    unsigned n_free, n_kernel;
    u16 free[SHADOW_TABLES];                /* tables, by their page */
    u16 kernel[SHADOW_TOP - SHADOW_KERNEL]; /* present entries of the kernel's half */
    bool top_used;                          /* something of the guest is in the last table */
    unsigned n_local;                       /* more than SHADOW_LOCAL: some are not in the list */
    u32 local[SHADOW_LOCAL];
};

/* Look an address up in the guest's tables, without changing them. Returns an entry as shadow_fill() takes it, or 0:
 * there is none that has been used. */
typedef u32 shadow_look(void *guest, u32 va);

/* Begin with `pages`, SHADOW_PAGES of them, cleared, which entries name by addresses from `at` on. `fixed`
 * are entries for the first pages of the last 4 MiB of all spaces, which stay. */
void shadow_init(struct shadow *s, shadow_page *pages, u32 at, const u32 fixed[SHADOW_FIXED]);
/* Enter what the guest's tables have for a page: frame, P, W, U, G. Nothing where a fixed page is. */
void shadow_fill(struct shadow *s, u32 va, u32 entry);
/* Return the table that an entry of a directory names. */
static inline u32 *shadow_table(const struct shadow *s, u32 entry)
{
    return s->pages[((entry & ENTRY_FRAME) - s->at) / 4096];
}
/* Forget a page, in the current space and in all spaces' kernel half. */
void shadow_forget(struct shadow *s, u32 va);
/* Forget a page in that space. */
static inline void shadow_forget_in(struct shadow *s, const struct shadow_space *space, u32 va)
{
    u32 entry = space->directory[va >> 22];
    if (entry && !shadow_is_fixed(va))
        shadow_table(s, entry)[va >> 12 & 1023] &= ENTRY_LISTED;
}
/* Forget everything. */
void shadow_flush(struct shadow *s);
/* The guest loads CR3. `number` and `generation`: as in PARA_LOAD_CR3; keep: the kernel's half is global. */
void shadow_load(struct shadow *s, u32 cr3, u32 number, u32 generation, bool keep, shadow_look *look, void *guest);

#endif
