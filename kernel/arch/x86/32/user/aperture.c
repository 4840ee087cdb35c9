/* SPDX-License-Identifier: MIT */
/* aperture.c (32 bits, processes) - hal/aperture.h in the space of a process, whose tables are its own (space.c). */
#include <arch/cpu.h>
#include <errors.h>
#include <hal/memory.h>
#include <hal/space.h>
#include <hal/aperture.h>

__init_text int hal_aperture_init_outside(struct space *s, uintptr_t va, size_t size)
{
    u64 span;
    for (uintptr_t at = va; at < va + size; at = (at & ~(PTE_TABLE_SPAN - 1)) + PTE_TABLE_SPAN) {
        space_entry_t *entry = space_walk(s, at, &span);
        void *table = span > PAGE_SIZE ? space_new_table(s) : NULL;
        if (table)
            *entry = space_table_of(virt_to_phys(table));
        else if (span > PAGE_SIZE)
            return -ENOMEM;
    }
    return 0;
}

static void set(const struct space *s, uintptr_t va, space_entry_t entry)
{
    u64 span;
    *space_walk(s, va, &span) = entry;
    invlpg((void *)va); /* if another space is loaded, this one is loaded anew before it is used */
}

void hal_aperture_show_outside(const struct space *s, uintptr_t va, paddr_t pa, bool write)
{
    set(s, va, space_entry_of(pa, write ? SPACE_WRITE : 0));
}

void hal_aperture_hide_outside(const struct space *s, uintptr_t va) { set(s, va, 0); }
