/* SPDX-License-Identifier: MIT */
/* page.c - pages at addresses that the program chooses, by the kernel's map and unmap. */
#include <nanvix/sys/page.h>

#include "nanvix.h"

static int check(vaddr_t vaddr)
{
    if (!ALIGNED(vaddr, PAGE_SIZE))
        return -EINVAL;
    return WITHIN(vaddr, UBASE_VIRT, UBASE_VIRT + UMEM_SIZE) ? 0 : -EFAULT;
}

int page_alloc(vaddr_t vaddr)
{
    int error = check(vaddr);
    if (error)
        return error;
    int64_t result = amalgam_map((void *)vaddr, PAGE_SIZE, AMALGAM_MAP_WRITE);
    return result < 0 ? (int)nanvix_result(result) : 0;
}

/* Asks the kernel for the page's frame, since that asks no pager. */
static bool is_mapped(vaddr_t vaddr)
{
    int64_t frame = amalgam_frame_of((void *)vaddr);
    if (frame >= 0)
        amalgam_frame_free((uint32_t)frame);
    return frame != -AMALGAM_EFAULT;
}

/* Free a page. Returns `missing` if no page is mapped there. */
static int give_back(vaddr_t vaddr, int missing)
{
    int error = check(vaddr);
    if (!error && !is_mapped(vaddr))
        error = missing;
    return error ? error : (int)nanvix_result(amalgam_unmap((void *)vaddr, PAGE_SIZE));
}

int page_free(vaddr_t vaddr) { return give_back(vaddr, -EFAULT); }
int page_unmap(vaddr_t vaddr) { return give_back(vaddr, -EAGAIN); }

int page_map(vaddr_t vaddr, frame_t frame)
{
    (void)frame;
    int error = check(vaddr);
    return error ? error : -ENOSYS;
}

int page_link(vaddr_t from, vaddr_t vaddr)
{
    int error = check(from);
    if (!error)
        error = check(vaddr);
    return error ? error : -ENOSYS;
}
