/* SPDX-License-Identifier: MIT */
/*
 * nanvix/sys/page.h - pages at addresses of the program's choice, from UBASE_VIRT on. Every function returns 0 or a
 * negative error: EINVAL: not the address of a page; EFAULT: not between UBASE_VIRT and UBASE_VIRT + UMEM_SIZE.
 */
#ifndef NANVIX_SYS_PAGE_H_
#define NANVIX_SYS_PAGE_H_

#include <nanvix/kernel/kernel.h>

/* Have a page of zeros. EADDRINUSE: one is there. EAGAIN: the process has no more memory. */
extern int page_alloc(vaddr_t vaddr);
/* Give it back. EFAULT also: none is there. */
extern int page_free(vaddr_t vaddr);
/* The same. EAGAIN: none is there. */
extern int page_unmap(vaddr_t vaddr);
/* Show a frame, or the page at `from`, at a second address: -ENOSYS, as the kernel has no such call. */
extern int page_map(vaddr_t vaddr, frame_t frame);
extern int page_link(vaddr_t from, vaddr_t vaddr);

#endif
