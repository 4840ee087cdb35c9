/* SPDX-License-Identifier: MIT */
/*
 * coherence_mpbt.c - the memory type that only the SCC has (Intel, SCC External Architecture Specification, chapters 5
 * and 8). Lines of the message passing buffer type (MPBT) are cached in L1 only and written through a buffer of one
 * line. A store goes into that buffer, and into L1 if the line is there. In this model only a store to another MPBT
 * line drains the buffer. CL1INVMB invalidates all MPBT lines of L1 at once. Only the bytes that were written reach
 * memory, so two cores may write different parts of one line. A byte that is drained after another core's younger one
 * overwrites it (report `lost`).
 *
 * The type of an access is that of the core's last marker for the page; without a marker that of the virtual address
 * (vtype=TYPE:LO:HI); otherwise that of the range (mpbt=, l2=, nc=, uc=). The kernel that maps a page executes the
 * marker.
 */
#include "coherence.h"

#define PAGE_SHIFT 12
#define PAGES      (1u << (32 - PAGE_SHIFT))

static struct line *buffer[CORES];
static uint32_t epochs[CORES];
static uint8_t *pages[CORES]; /* type + 1 of each page; 0: no marker */
static struct {
    uint64_t lo, hi;
    enum type type;
} virtual_types[RANGES];
static unsigned n_virtual;

uint32_t mpbt_epoch(unsigned core) { return epochs[core]; }

void mpbt_invalidate(unsigned core) { epochs[core]++; }

static void drain(struct line *l, unsigned core)
{
    const struct copy *k = line_copy(l, core);
    for (unsigned b = 0; b < line_size && l->version > k->since; b++)
        if (k->dirty >> b & 1 && l->byte_version[b] > k->since && l->writer[b] != core) {
            report("lost", core, k->pc, l->at + b, l->writer[b], l->byte_pc[b]);
            break;
        }
    line_write_back(l, core);
}

void mpbt_store(struct line *l, unsigned core, uint64_t mask, uint64_t pc)
{
    struct copy *k = line_copy(l, core);
    if (buffer[core] && buffer[core] != l && line_copy(buffer[core], core)->dirty)
        drain(buffer[core], core);
    buffer[core] = l;
    k->since = l->version;
    l->n_dirty += !k->dirty;
    k->dirty |= mask;
    k->pc = pc;
}

void page_set_type(unsigned core, uint64_t vaddr, enum type type)
{
    if (!pages[core] && !(pages[core] = calloc(PAGES, 1)))
        abort();
    pages[core][vaddr >> PAGE_SHIFT & (PAGES - 1)] = (uint8_t)(type + 1);
}

enum type page_type(unsigned core, uint64_t vaddr, enum type otherwise)
{
    if (pages[core] && pages[core][vaddr >> PAGE_SHIFT & (PAGES - 1)])
        return (enum type)(pages[core][vaddr >> PAGE_SHIFT & (PAGES - 1)] - 1);
    for (unsigned i = 0; i < n_virtual; i++)
        if (vaddr >= virtual_types[i].lo && vaddr < virtual_types[i].hi)
            return virtual_types[i].type;
    return otherwise;
}

bool page_option(const char *word)
{
    static const char *const names[] = { "nc", "l2", "mpbt", "uc" };
    char name[8];
    uint64_t lo, hi;
    if (sscanf(word, "vtype=%7[a-z0-9]:%" SCNx64 ":%" SCNx64, name, &lo, &hi) != 3 || lo >= hi || n_virtual == RANGES)
        return false;
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (!strcmp(name, names[i])) {
            virtual_types[n_virtual].lo = lo;
            virtual_types[n_virtual].hi = hi;
            virtual_types[n_virtual++].type = (enum type)i;
            return true;
        }
    return false;
}
