/* SPDX-License-Identifier: MIT */
/*
 * noc.c - hal/noc.h: the memory that the firmware's PMP lets all clusters read, where each may write its own outbox,
 * and the doorbells of the other clusters' masters: a register each, or one that takes a cluster's number (a fleet).
 */
#include <arch/boot.h>
#include <core/init.h>
#include <core/log.h>
#include <hal/cache.h>
#include <hal/memory.h>
#include <hal/noc.h>

_Static_assert(NOC_CLUSTERS == MACHINE_CLUSTERS && NOC_LINE == CACHE_LINE, "one number each");

static u8 *boxes;
static struct bell {
    volatile u32 *at;
    u32 value;
} bells[NOC_CLUSTERS];
static unsigned n;

unsigned noc_clusters(void) { return n; }
unsigned noc_self(void) { return boot_info.self; }
u32 noc_life(void) { return machine.life; }
size_t noc_outbox_size(void) { return (size_t)machine.outbox.size; }
void *noc_outbox(void) { return boxes + noc_self() * noc_outbox_size(); }
const void *noc_outbox_of(unsigned cluster) { return boxes + cluster * noc_outbox_size(); }
u64 noc_patience(void) { return machine.patience_ms * 1000000ull; }
/* The last hart, if all of them run. */
unsigned noc_engine(void) { return boot_info.exempt < n_cpus ? boot_info.exempt : 0; }
void noc_clean(const void *p, size_t size) { cache_clean(p, size); }
void noc_clean_line(const void *p) { cache_clean_line(p); }
void noc_invalidate(const void *p, size_t size) { cache_invalidate(p, size); }
void noc_invalidate_line(const void *p) { cache_invalidate_line(p); }
void noc_poll(const void *line) { cache_poll_line(line); }

void noc_ring(unsigned cluster)
{
    __asm__ volatile("fence w, o" ::: "memory");
    *bells[cluster].at = bells[cluster].value;
}

static __init_text void noc_init(void)
{
    if (!machine.n_rings)
        return;
    boxes = hal_map_device(machine.noc.at, (size_t)machine.noc.size);
    char *doorbells = hal_map_device(machine.doorbells.at, (size_t)machine.doorbells.size);
    if (!boxes || !doorbells)
        panic("noc: no room for the network between clusters");
    n = machine.n_rings;
    for (unsigned i = 0; i < n; i++)
        bells[i] = (struct bell){ (volatile u32 *)(doorbells + machine.ring[i].at), machine.ring[i].value };
}
INIT_CALL(noc_init);
