/* SPDX-License-Identifier: MIT */
/* policy_ranges.c - only the lines that a call names; see policy.h. */
#include <hal/cache.h>

#include "comm.h"
#include "policy.h"

static const u8 *data_of(const struct request *r) { return container_of(r, const struct comm, request)->data; }

/* Of a comm what caller and master pass to each other. */
static const void *passed(const struct request *r) { return &r->serve; }
#define PASSED (sizeof(struct comm) - offsetof(struct request, serve))

/* Their owner's stores are written to memory. */
static void give(const struct request *r)
{
    const u8 *data = data_of(r);
    if (data)
        cache_clean(data, COMM_MESSAGE);
    cache_clean(passed(r), PASSED);
}

/* Their next owner loads what is in memory. */
static void get(const struct request *r)
{
    cache_invalidate(passed(r), PASSED);
    const u8 *data = data_of(r);
    if (data)
        cache_invalidate(data, COMM_MESSAGE);
}

void policy_leave(const struct request *r) { give(r); }
void policy_return(const struct request *r) { get(r); }
void policy_take(const struct request *r) { get(r); }
void policy_finish(const struct request *r) { give(r); }
void policy_look(const void *word) { cache_poll_line(word); }
void policy_told(const void *word) { cache_clean_line(word); }
void policy_page(const void *page, size_t n) { cache_invalidate(page, n); }
bool policy_engine(void) { return false; }
