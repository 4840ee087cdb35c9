/* SPDX-License-Identifier: MIT */
/*
 * coherence_mesh.c - what a fill costs on the SCC, by where the line is at home and how far that is from the core: for
 * the clocks of coherence_clock.c, in place of one cost for all.
 *
 *   mpb=LO:HI:BYTES    message passing buffers, BYTES for each core from core 0 on; other memory in tiles likewise
 *   dram=LO:HI:X:Y     memory behind the controller beside the tile of column X and row Y
 *
 * Core n is in tile n / 2; tiles lie 6 in a row, and a message goes as many hops as they are apart in columns and rows.
 * The SCC Programmer's Guide gives these latencies for n hops:
 *
 *   a buffer            45 core cycles + 8 n mesh cycles; 45 in the own tile (without the bypass, which is not to be
 * used) memory              40 core cycles + 8 n mesh cycles + 46 memory cycles
 *
 * with cores at 533 MHz, mesh and memory at 800 MHz. A cycle of a core counts as an instruction. Nobody queues.
 */
#include "coherence_mesh.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define HOMES         16
#define ACROSS        6
#define DOWN          4
#define CORE_MHZ      533u
#define MESH_MHZ      800u /* and the memory's */
#define BUFFER_CORE   45u
#define MEMORY_CORE   40u
#define MEMORY_CYCLES 46u
#define HOP_CYCLES    8u /* there and back */

static struct home {
    uint64_t lo, hi, bytes; /* bytes: of each core's buffer; 0: memory */
    unsigned column, row;   /* the controller's tile */
} homes[HOMES];
static unsigned n_homes;

static unsigned apart(unsigned a, unsigned b) { return a > b ? a - b : b - a; }

static unsigned hops(unsigned core, unsigned column, unsigned row)
{
    unsigned tile = core / 2;
    return apart(tile % ACROSS, column) + apart(tile / ACROSS, row);
}

/* Of core cycles, and cycles of the mesh or the memory; rounded to the next core cycle. */
static uint64_t cycles(unsigned core, unsigned mesh) { return core + (mesh * CORE_MHZ + MESH_MHZ / 2) / MESH_MHZ; }

uint64_t mesh_fill(unsigned core, uint64_t at, uint64_t otherwise)
{
    for (const struct home *h = homes; h < homes + n_homes; h++) {
        if (at < h->lo || at >= h->hi)
            continue;
        if (!h->bytes)
            return cycles(MEMORY_CORE, HOP_CYCLES * hops(core, h->column, h->row) + MEMORY_CYCLES);
        unsigned tile = (unsigned)((at - h->lo) / h->bytes) / 2;
        return cycles(BUFFER_CORE, HOP_CYCLES * hops(core, tile % ACROSS, tile / ACROSS));
    }
    return otherwise;
}

static bool overlaps(const struct home *new)
{
    for (const struct home *h = homes; h < homes + n_homes; h++)
        if (new->lo < h->hi && h->lo < new->hi)
            return true;
    return false;
}

bool mesh_option(const char *word, unsigned cores)
{
    struct home h = { 0 };
    int end = 0;
    if (strncmp(word, "mpb=", 4) == 0) {
        if (sscanf(word, "mpb=%" SCNx64 ":%" SCNx64 ":%" SCNx64 "%n", &h.lo, &h.hi, &h.bytes, &end) != 3 || !h.bytes)
            return false;
        if (h.lo >= h.hi || (h.hi - h.lo - 1) / h.bytes >= MESH_CORES)
            return false;
    } else if (sscanf(word, "dram=%" SCNx64 ":%" SCNx64 ":%u:%u%n", &h.lo, &h.hi, &h.column, &h.row, &end) != 4) {
        return false;
    }
    if (word[end] || h.lo >= h.hi || h.column >= ACROSS || h.row >= DOWN || overlaps(&h) || n_homes == HOMES ||
        cores > MESH_CORES)
        return false;
    homes[n_homes++] = h;
    return true;
}
