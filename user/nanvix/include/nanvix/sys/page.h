/* SPDX-License-Identifier: MIT */
/*
 * nanvix/sys/page.h - allocates pages at addresses that the program chooses, from UBASE_VIRT on. Every function returns
 * 0 or a negative error: EINVAL: the address is not page-aligned; EFAULT: it is not between UBASE_VIRT and UBASE_VIRT +
 * UMEM_SIZE.
 */
#ifndef NANVIX_SYS_PAGE_H_
#define NANVIX_SYS_PAGE_H_

#include <nanvix/kernel/kernel.h>

/* Allocate a page of zeros. EADDRINUSE: a page is mapped there. EAGAIN: the process has no more memory. */
extern int page_alloc(vaddr_t vaddr);
/* Free a page. EFAULT also: no page is mapped there. */
extern int page_free(vaddr_t vaddr);
/* The same. EAGAIN: no page is mapped there. */
extern int page_unmap(vaddr_t vaddr);
/* Map a frame of kframe_alloc(). EFAULT also: it is not allocated. EADDRINUSE, EAGAIN: as for page_alloc(). */
extern int page_map(vaddr_t vaddr, frame_t frame);
/* Map at `vaddr` the frame of the page at `from`. EFAULT also: no page is mapped there. EADDRINUSE, EAGAIN: the same.
 */
extern int page_link(vaddr_t from, vaddr_t vaddr);

#endif
