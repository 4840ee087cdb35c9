/* SPDX-License-Identifier: MIT */
/* init_drop.c - frees the code that runs at boot only. */
#include <arch/boot.h>
#include <arch/memory.h>
#include <arch/paging.h>
#include <core/frames.h>
#include <core/log.h>
#include <hal/memory.h>

extern const char init_start[], init_end[];

bool init_dropped;

/* A hart that did not answer may still run that code: then it stays. */
void hal_drop_init(bool first)
{
    bool drop = first && n_cpus == machine.n_harts;
    for (const char *p = init_start; drop && p < init_end; p += PAGE_SIZE)
        *paging_image_entry(p) = pte_of(virt_to_phys(p), PTE_DATA | PTE_G | PTE_V);
    paging_flush();
    if (!drop)
        return;
    init_dropped = true;
    frames_free(virt_to_phys(init_start), (u64)(init_end - init_start) >> PAGE_SHIFT);
    printk("boot: %llu KiB of initialization text freed, %llu KiB free\n", (u64)(init_end - init_start) >> 10,
           frames_free_bytes() >> 10);
}
