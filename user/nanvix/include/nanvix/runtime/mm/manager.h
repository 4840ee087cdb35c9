/* SPDX-License-Identifier: MIT */
/*
 * nanvix/runtime/mm/manager.h - remote pages (stub.h) at addresses: VMEM_PAGES from VMEM_BASE on, of which VMEM_SHOWN
 * are here at a time, in the cache's memory (cache.h). A thread that reads or writes another one waits until the
 * program's pager has brought it: that is a thread of the program, which __runtime_setup(5) or nanvix_malloc() begins,
 * or the one that calls excp_pause() and then nanvix_rfault(). Without a pager such an access ends the process;
 * nanvix_vmem_read() and nanvix_vmem_write() need none.
 *
 * Any thread may call these. The buffers of nanvix_rmem_read() and nanvix_rmem_write() must not be such memory: they
 * would wait for themselves.
 */
#ifndef NANVIX_RUNTIME_MM_MANAGER_H_
#define NANVIX_RUNTIME_MM_MANAGER_H_

#include <nanvix/runtime/mm/cache.h>

#define VMEM_PAGES 1024
#define VMEM_SHOWN (RCACHE_LENGTH / 2)
#define VMEM_BASE  (UBASE_VIRT + UMEM_SIZE - VMEM_PAGES * RMEM_BLOCK_SIZE)

/* Returns the address of so many pages of zeros. NULL: none, or more than there are, or no server has as many. */
extern void *nanvix_vmem_alloc(size_t pages);
/* Free all pages of an allocation. -EFAULT: none begins there; -EIO: a server did not answer, and may keep a page. */
extern int nanvix_vmem_free(void *ptr);
/* Copy within a page. Return n, or 0 and an error in errno. EINVAL: the bytes are not those of one page of an
 * allocation, or there is no buffer; otherwise the page cannot be brought, or written back: those of
 * nanvix_rcache_get(). */
extern size_t nanvix_vmem_read(void *buf, const void *ptr, size_t n);
extern size_t nanvix_vmem_write(void *ptr, const void *buf, size_t n);
/* Bring the page of an address. -EFAULT: no allocation has it; -EIO: it cannot be brought. */
extern int nanvix_rfault(vaddr_t vaddr);

#endif
