/* SPDX-License-Identifier: MIT */
/*
 * page_in.h - pages that servers send through a portal of this process (amalgam/memory_server.h,
 * amalgam/cluster_files.h). A server sends a page and then its answer, which says from which port it has sent it. It
 * sends a cluster one page at a time, so a page whose answer was lost has to be taken before the next one can come.
 *
 * Locks: none; the caller has one for each struct page_in.
 */
#ifndef AMALGAM_NANVIX_PAGE_IN_H
#define AMALGAM_NANVIX_PAGE_IN_H

#include <stdbool.h>
#include <stddef.h>

#define PAGE_IN_BYTES 4096

struct page_in {
    bool made;
    unsigned id, port;
    bool lost;     /* an answer, and perhaps a page with it */
    bool reads_on; /* a read into `scratch` has not ended: the next page comes there */
    char scratch[PAGE_IN_BYTES];
};

/* Make the portal. Returns false: no port is free. May be called again. */
bool page_in_begin(struct page_in *p);
/* After an answer of cluster `node`. `sent`: it has sent n bytes from its port `from`, which go to `buf`; else it could
 * not. turn: how often it was asked before. Returns false: ask again. */
bool page_in_receive(struct page_in *p, int node, unsigned from, bool sent, void *buf, size_t n, unsigned turn);

#endif
