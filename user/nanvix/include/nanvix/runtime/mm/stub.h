/* SPDX-License-Identifier: MIT */
/*
 * nanvix/runtime/mm/stub.h - pages of 4 KiB at memory servers of other clusters (docs/servers.md): those that the
 * environment's MEMORY lists, "1,2"; without it the one of cluster 0. A page is this process's; it is zeros at first.
 * The server loses it when it dies, and may give it to others of this cluster when this process has named no page of
 * its for ten seconds. No page that is given later has its number: of that this process may lose its pages at a server
 * 2,047 times, and gets no more of it then.
 *
 * Any thread may call these; one asks at a time.
 */
#ifndef NANVIX_RUNTIME_MM_STUB_H_
#define NANVIX_RUNTIME_MM_STUB_H_

#include <nanvix/kernel/kernel.h>

#define RMEM_NULL        0
#define RMEM_BLOCK_SIZE  4096
#define RMEM_NUM_BLOCKS  8192 /* pages of a server are below this number */
#define RMEM_BLOCK_SHIFT 12
#define RMEM_SIZE        (RMEM_NUM_BLOCKS * RMEM_BLOCK_SIZE)

#define RMEM_LIFE_SHIFT   13
#define RMEM_SERVER_SHIFT 24

/* From bit RMEM_SERVER_SHIFT on its server's number; from RMEM_LIFE_SHIFT on how often this process had lost its pages
 * there before. */
typedef word_t rpage_t;

struct rmem_stats {
    unsigned nallocs, nfrees, nreads, nwrites;
};

/* Returns RMEM_NULL: no server has a page for this cluster, or none answers. */
extern rpage_t nanvix_rmem_alloc(void);
/* Return 0, -EINVAL: no page can have the number, -EFAULT: it is none of this process's, -EIO: no answer came, so it
 * may be free. */
extern int nanvix_rmem_free(rpage_t page);
/* Move a whole page. Return RMEM_BLOCK_SIZE, or 0 and an error in errno. EIO: the page was lost with the server's life,
 * or the server does not answer; after a write it is unknown how much of it was done. A page that was lost stays so,
 * also where its server is asked again. EFAULT: it is none of this process's; EINVAL: no page can have the number, or
 * there is no buffer. */
extern size_t nanvix_rmem_read(rpage_t page, void *buf);
extern size_t nanvix_rmem_write(rpage_t page, const void *buf);
/* Count this process's calls that were done. -EINVAL: NULL. */
extern int nanvix_rmem_stats(struct rmem_stats *buf);

#endif
