/* SPDX-License-Identifier: MIT */
/* page.c - pages at addresses that the program chooses, by the kernel's map, unmap and frame_map. */
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

/* Give the page the rights that it has: that asks no pager, and says whether a page is there. */
static bool is_mapped(vaddr_t vaddr)
{
    return amalgam_protect((void *)vaddr, PAGE_SIZE, AMALGAM_PROTECT_WRITE) != -AMALGAM_EFAULT;
}

/* Free a page. Returns `missing` if no page is mapped there. */
static int give_back(vaddr_t vaddr, int missing)
{
    int error = check(vaddr);
    if (!error && !is_mapped(vaddr))
        error = missing;
    return error ? error : nanvix_page_hide(vaddr);
}

int page_free(vaddr_t vaddr) { return give_back(vaddr, -EFAULT); }
int page_unmap(vaddr_t vaddr) { return give_back(vaddr, -EAGAIN); }

/* Map a frame whose number the process holds. */
static int64_t map_frame(vaddr_t vaddr, uint32_t frame)
{
    return amalgam_frame_map((void *)vaddr, frame, AMALGAM_FRAME_MAP_WRITE);
}

int page_map(vaddr_t vaddr, frame_t frame)
{
    int error = check(vaddr);
    if (error)
        return error;
    int64_t number = nanvix_frame(frame), result = -AMALGAM_ENOENT;
    if (number >= 0)
        result = map_frame(vaddr, (uint32_t)number);
    return result == -AMALGAM_ENOENT ? -EFAULT : (int)nanvix_result(result);
}

/* The process holds the frame's number meanwhile. Another thread that links the same page may take it away: then once
 * more. */
int nanvix_page_show(vaddr_t from, vaddr_t at)
{
    int64_t result = -AMALGAM_ENOENT;
    while (result == -AMALGAM_ENOENT) {
        int64_t frame = amalgam_frame_of((void *)from);
        if (frame < 0)
            return (int)nanvix_result(frame);
        result = map_frame(at, (uint32_t)frame);
        nanvix_frame_let_go((uint32_t)frame);
    }
    return (int)nanvix_result(result);
}

int nanvix_page_hide(vaddr_t at) { return (int)nanvix_result(amalgam_unmap((void *)at, PAGE_SIZE)); }

int page_link(vaddr_t from, vaddr_t vaddr)
{
    int error = check(from);
    if (!error)
        error = check(vaddr);
    return error ? error : nanvix_page_show(from, vaddr);
}
