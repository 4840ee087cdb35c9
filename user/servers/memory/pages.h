/* SPDX-License-Identifier: MIT */
/*
 * pages.h - the pages of a memory server, without a way to hear or to say anything: main.c has that.
 *
 * Nothing here trusts a request. A page is its cluster's and, there, that client's whose number it has. A cluster has
 * its share of the pages, so it can take none from another one. One thread uses it.
 */
#ifndef AMALGAM_SERVERS_MEMORY_PAGES_H
#define AMALGAM_SERVERS_MEMORY_PAGES_H

#include <amalgam/memory_server.h>
#include <stdbool.h>

#define PAGES_CLUSTERS 64
#define PAGES_CLIENTS  8     /* of each cluster */
#define PAGES_MOST     8191u /* a client's numbers of them end there (RMEM_NUM_BLOCKS) */
/* Pages of a client that has said nothing for so long may be given to others of its cluster. */
#define PAGES_SILENT (10 * 1000000000ull)

struct page_owner {
    uint64_t tag;
    uint16_t next;        /* of the free ones; 0: none */
    uint8_t node, client; /* of that cluster's */
    bool used;
};

/* A client that has pages. */
struct page_client {
    uint64_t number;
    uint64_t heard; /* when it has last named a page of its own */
    uint64_t life;  /* of all its pages; 0: they were given to others */
    uint16_t has;   /* 0: its place is free, and it is known until another client takes it */
};

struct pages {
    unsigned n;
    unsigned char *memory;    /* n pages */
    struct page_owner *owner; /* n, of pages 1 to n */
    uint16_t free;
    uint16_t share, has[PAGES_CLUSTERS];
    struct page_client client[PAGES_CLUSTERS][PAGES_CLIENTS];
    uint64_t refused;
    uint64_t life; /* of a client that has no page yet */
};

/* Begin with n pages, all free; at most PAGES_MOST. `life`: a number that no other life of the server has. */
void pages_begin(struct pages *p, unsigned n, unsigned char *memory, struct page_owner *owner, unsigned clusters,
                 uint64_t life);
/* Carry out a request of cluster `node`, at time `now`. The answer takes its place. Returns 0: it has no answer; 1:
 * send it; 2: send the page *data to the client's portal before, and MEMORY_AGAIN if that is not possible now. */
int pages_serve(struct pages *p, unsigned node, struct memory_message *m, uint64_t now, const unsigned char **data);

#endif
