/* SPDX-License-Identifier: MIT */
/*
 * page_in.h - pages that servers send through a portal of this process (amalgam/memory_server.h,
 * amalgam/cluster_files.h). A server sends a page and then its answer, which says from which port it has sent it. It
 * sends a cluster one page at a time, so a page whose answer was lost has to be taken before the next one can come. One
 * of a former life of this process may be there from the beginning on.
 *
 * What stands in the way may be another process's, which is slow, or has ended and left a page that nobody reads. That
 * is waited for by a clock and not for long: the caller asks for the same bytes in messages then.
 *
 * Locks: none; the caller has one for each struct page_in.
 */
#ifndef AMALGAM_NANVIX_PAGE_IN_H
#define AMALGAM_NANVIX_PAGE_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE_IN_BYTES 4096

enum page_in_result {
    PAGE_IN_HERE,
    PAGE_IN_AGAIN, /* ask again */
    PAGE_IN_LATE   /* ask in another way */
};

struct page_in {
    bool made;
    unsigned id, port;
    bool lost;     /* a page may be there that nobody waits for */
    bool late;     /* the last one did not come in time: the next one is waited for less long */
    bool reads_on; /* a read into `scratch`, of what `node` sends from `from`, has not ended */
    int node;
    unsigned from;
    uint64_t until; /* when the page that was asked for is late */
    char scratch[PAGE_IN_BYTES];
};

/* Make the portal. Returns false: no port is free. May be called again. */
bool page_in_begin(struct page_in *p);
/* After an answer of cluster `node`. `sent`: it has sent n bytes from its port `from`, which go to `buf`; else it could
 * not. turn: how many answers to this question there were before. */
enum page_in_result page_in_receive(struct page_in *p, int node, unsigned from, bool sent, void *buf, size_t n,
                                    unsigned turn);

#endif
