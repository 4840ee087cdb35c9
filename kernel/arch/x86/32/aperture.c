/* SPDX-License-Identifier: MIT */
/* aperture.c (32 bits) - hal/aperture.h with paging.c's tables. On the SCC itself an entry would also set MPBT. */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <hal/memory.h>
#include <hal/aperture.h>

/* paging_map() makes the table of each 4 MiB for its first page. */
__init_text int hal_aperture_init(uintptr_t va, size_t size)
{
    for (uintptr_t at = va; at < va + size; at = (at & ~(PTE_TABLE_SPAN - 1)) + PTE_TABLE_SPAN) {
        int err = paging_map(at, 0, PAGE_SIZE, 0);
        if (err)
            return err;
        hal_aperture_hide(at);
    }
    return 0;
}

void hal_aperture_show(uintptr_t va, paddr_t pa, bool write)
{
    *paging_entry((void *)va) = bus_address(pa) | PTE_P | (write ? PTE_W : 0);
    invlpg((void *)va);
}

void hal_aperture_hide(uintptr_t va)
{
    *paging_entry((void *)va) = 0;
    invlpg((void *)va);
}
