/* SPDX-License-Identifier: MIT */
/*
 * storm.c - a guest in ring 1 that makes its processor leave as often and for as long as it can: each kind of way out
 * for a while, then the next one. What is dearest is a load of CR3 with as many pages to look through as there may be,
 * and a change of CR4, after which all tables are filled again.
 */
#include "ring1.h"

#define TIMES 400u
#define AREA  (USER_END + 0x100000) /* pages that are touched */
#define PAGES 116u                  /* nearly as many as a space's list holds */

static void handler(struct trap *t)
{
    if (t->vector == 14)
        *ring1_entry(AMALGAM_SHARED(AMALGAM_SHARE_CR2)) |= 1;
    else if (t->vector == 6)
        t->eip += 2;
}

static void touch(void)
{
    for (unsigned i = 0; i < PAGES; i++)
        *(volatile uint8_t *)(AREA + i * PAGE) = 1;
}

static void load(void) { amalgam_load_cr3(AMALGAM_SHARED(AMALGAM_SHARE_CR3), 0, 0); }

/* Tables of the shadow, one a page of each 4 MiB. */
static void spread(void)
{
    uint32_t *directory = (uint32_t *)AMALGAM_SHARED(AMALGAM_SHARE_CR3);
    for (unsigned i = 2; i < 300; i++) {
        directory[i] = directory[1];
        (void)*(volatile uint8_t *)(i << 22 | (USER & 0x3fffff));
    }
    for (unsigned i = 2; i < 300; i++)
        directory[i] = 0;
}

static void fault(void)
{
    *ring1_entry(AREA) &= ~1u;
    ring1_invalidate(AREA);
    *(volatile uint8_t *)AREA = 1;
}

static void one(unsigned kind)
{
    switch (kind) {
    case 0: amalgam_events(); break;
    case 1: load(); break;
    case 2: amalgam_invlpg(AREA, 64); break;
    case 3: touch(); break;
    case 4: fault(); break;
    case 5: __asm__ volatile("mov %0, %%cr4; mov %1, %%cr4" ::"r"(0x80), "r"(0)); break;
    case 6: spread(); break;
    case 7: __asm__ volatile("inb $0x61, %%al; ud2" ::: "eax"); break;
    case 8: amalgam_timer(1); break;
    default: amalgam_call(YIELD, 0, 0, 0); break;
    }
}

int main(void)
{
    ring1_tables();
    ring1_handler = handler;
    print("hostile: storm\n");
    AMALGAM_SHARED(AMALGAM_SHARE_FLAG) = 0x200;
    for (unsigned kind = 0;; kind = (kind + 1) % 10)
        for (unsigned i = 0; i < TIMES; i++)
            one(kind);
}
