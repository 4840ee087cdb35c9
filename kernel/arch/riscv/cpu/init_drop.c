/* SPDX-License-Identifier: MIT */
/* init_drop.c - frees the code that runs at boot only, and the stack on which it began. */
#include <arch/boot.h>
#include <arch/memory.h>
#include <arch/paging.h>
#include <core/frames.h>
#include <core/log.h>
#include <hal/memory.h>

extern const char init_start[], init_end[], bss_end[], image_end[];

/* Free the whole pages from `from` to `to`. Returns how many KiB. */
static __noinline u64 free_pages(const char *from, const char *to)
{
    from = (const char *)ALIGN_UP((unsigned long)from, PAGE_SIZE);
    frames_free(virt_to_phys(from), (u64)(to - from) >> PAGE_SHIFT);
    return (u64)(to - from) >> 10;
}

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
    u64 text = free_pages(init_start, init_end);
    free_pages(bss_end, image_end);
    printk("boot: %llu KiB of initialization text freed, %llu KiB free\n", text, frames_free_bytes() >> 10);
}
