/* SPDX-License-Identifier: MIT */
/* shadow.c - spaces and their tables: shadow.h. */
#include "shadow.h"

#include <string.h>

#define NO_CR3       1u                                          /* no page directory has this address */
#define ENTRY_SHADOW (ENTRY_FRAME | ENTRY_P | ENTRY_W | ENTRY_U) /* what a shadow has of an entry */

static u32 number_of(const struct shadow *s, u32 entry) { return ((entry & ENTRY_FRAME) - s->at) / 4096; }

static void use(struct shadow *s, struct shadow_space *space)
{
    s->current = space;
    s->root = s->at + (u32)(space - s->space) * 4096;
}

void shadow_init(struct shadow *s, shadow_page *pages, u32 at, const u32 fixed[SHADOW_FIXED])
{
    memset(s, 0, sizeof(*s));
    s->pages = pages;
    s->at = at;
    memcpy(pages[SHADOW_SPACES], fixed, 4 * SHADOW_FIXED);
    for (unsigned i = 0; i < SHADOW_SPACES; i++) {
        s->space[i].directory = pages[i];
        s->space[i].cr3 = NO_CR3;
        pages[i][SHADOW_TOP] = (at + SHADOW_SPACES * 4096) | ENTRY_P | ENTRY_W | ENTRY_U;
    }
    for (unsigned i = 0; i < SHADOW_TABLES; i++)
        s->free[s->n_free++] = (u16)(SHADOW_PAGES - 1 - i);
    use(s, s->space);
}

static void empty(struct shadow *s, struct shadow_space *space)
{
    while (space->n_tables) {
        u32 *entry = &space->directory[space->tables[--space->n_tables]];
        s->free[s->n_free++] = (u16)number_of(s, *entry);
        *entry = 0;
    }
    space->n_filled = 0;
    space->over = false;
}

static void empty_kernel(struct shadow *s)
{
    while (s->n_kernel) {
        unsigned i = s->kernel[--s->n_kernel];
        s->free[s->n_free++] = (u16)number_of(s, s->current->directory[i]);
        for (unsigned k = 0; k < SHADOW_SPACES; k++)
            s->space[k].directory[i] = 0;
    }
    if (s->top_used)
        memset(&s->pages[SHADOW_SPACES][SHADOW_FIXED], 0, 4096 - 4 * SHADOW_FIXED);
    s->top_used = false;
    s->n_local = 0;
}

/* Forget what is not global of the kernel's half. */
static void empty_local(struct shadow *s)
{
    if (s->n_local > SHADOW_LOCAL) {
        empty_kernel(s);
        return;
    }
    while (s->n_local)
        shadow_forget(s, s->local[--s->n_local]);
}

void shadow_flush(struct shadow *s)
{
    for (unsigned k = 0; k < SHADOW_SPACES; k++) {
        empty(s, &s->space[k]);
        s->space[k].number = 0;
        if (&s->space[k] != s->current)
            s->space[k].cr3 = NO_CR3;
    }
    empty_kernel(s);
}

/* Add a table to the current space, or to the kernel's half of all. */
static __noinline void add_table(struct shadow *s, unsigned index)
{
    if (!s->n_free)
        shadow_flush(s);
    unsigned page = s->free[--s->n_free];
    u32 entry = (s->at + page * 4096) | ENTRY_P | ENTRY_W | ENTRY_U;
    memset(s->pages[page], 0, 4096);
    if (index < SHADOW_KERNEL) {
        s->current->directory[index] = entry;
        s->current->tables[s->current->n_tables++] = (u16)index;
        return;
    }
    s->kernel[s->n_kernel++] = (u16)index;
    for (unsigned k = 0; k < SHADOW_SPACES; k++)
        s->space[k].directory[index] = entry;
}

static void note_local(struct shadow *s, u32 va)
{
    if (s->n_local < SHADOW_LOCAL)
        s->local[s->n_local] = va;
    if (s->n_local <= SHADOW_LOCAL)
        s->n_local++;
}

void shadow_fill(struct shadow *s, u32 va, u32 entry)
{
    unsigned index = va >> 22;
    struct shadow_space *space = s->current;
    if (shadow_is_fixed(va))
        return;
    s->top_used |= index == SHADOW_TOP;
    if (!space->directory[index])
        add_table(s, index);
    u32 *at = &shadow_table(s, space->directory[index])[va >> 12 & 1023];
    if (index >= SHADOW_KERNEL) {
        if (!(entry & ENTRY_G))
            note_local(s, va);
        *at = entry & ENTRY_SHADOW;
        return;
    }
    if (!(*at & ENTRY_LISTED)) {
        if (space->n_filled < s->most)
            space->filled[space->n_filled++] = va & ENTRY_FRAME;
        else
            space->over = true;
    }
    *at = (entry & ENTRY_SHADOW) | ENTRY_LISTED;
}

void shadow_forget(struct shadow *s, u32 va) { shadow_forget_in(s, s->current, va); }

/* Look all entries of the current space up once more. */
static void look_again(struct shadow *s, shadow_look *look, void *guest)
{
    struct shadow_space *space = s->current;
    unsigned kept = 0;
    for (unsigned i = 0; i < space->n_filled; i++) {
        u32 va = space->filled[i], entry = look(guest, va);
        shadow_table(s, space->directory[va >> 22])[va >> 12 & 1023] =
            entry ? (entry & ENTRY_SHADOW) | ENTRY_LISTED : 0;
        if (entry)
            space->filled[kept++] = va;
    }
    space->n_filled = kept;
}

static struct shadow_space *space_of(struct shadow *s, u32 cr3)
{
    for (unsigned k = 0; k < SHADOW_SPACES; k++)
        if (s->space[k].cr3 == cr3)
            return &s->space[k];
    struct shadow_space *space = &s->space[s->next++ % SHADOW_SPACES];
    if (space == s->current)
        space = &s->space[s->next++ % SHADOW_SPACES];
    empty(s, space);
    space->cr3 = cr3;
    space->number = 0;
    return space;
}

void shadow_load(struct shadow *s, u32 cr3, u32 number, u32 generation, bool keep, shadow_look *look, void *guest)
{
    struct shadow_space *was = s->current, *space = space_of(s, cr3 & ENTRY_FRAME);
    if (keep)
        empty_local(s);
    else
        empty_kernel(s);
    use(s, space);
    bool same = number && space != was && space->number == number && space->generation == generation;
    space->number = number;
    space->generation = generation;
    if (same)
        return;
    if (space->over)
        empty(s, space);
    else
        look_again(s, look, guest);
}
