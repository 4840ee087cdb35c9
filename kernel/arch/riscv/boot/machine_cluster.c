/* SPDX-License-Identifier: MIT */
/* machine_cluster.c - reads the device tree's node of a cluster, which the firmware of a many-core has made
 * (docs/boards.md): its number, the network to the others, and its harts. */
#include <arch/boot.h>
#include <arch/fdt.h>
#include <errors.h>

/* Read an address and a size of two cells each. Returns whether they are usable. */
static __init_text bool read_range(struct fdt *f, u32 node, enum fdt_name name, struct machine_range *range)
{
    u32 size;
    const u8 *value = fdt_property(f, node, name, &size);
    if (!value || size != 16)
        return false;
    range->at = fdt_cells_at(value, 0, 2);
    range->size = fdt_cells_at(value, 2, 2);
    return range->at % PAGE_SIZE == 0 && range->size && range->size <= MACHINE_NOC_MAX;
}

/* Read the network between the clusters. n_rings stays 0 if the tree's description is not consistent. */
static __init_text void read_noc(struct fdt *f, struct machine *m, u32 node, u32 self, u32 count)
{
    u32 size;
    const u8 *rings = fdt_property(f, node, FDT_RINGS, &size);
    if (!rings || size != count * 8 || count > MACHINE_CLUSTERS || !read_range(f, node, FDT_NOC, &m->noc) ||
        !read_range(f, node, FDT_OUTBOX, &m->outbox) || !read_range(f, node, FDT_DOORBELLS, &m->doorbells))
        return;
    for (u32 i = 0; i < count; i++) {
        m->ring[i] = (struct machine_ring){ fdt_cell_at(rings, 2 * i), fdt_cell_at(rings, 2 * i + 1) };
        if (m->ring[i].at % 4 || m->ring[i].at >= m->doorbells.size)
            return;
    }
    m->patience_ms = fdt_cell(f, node, FDT_PATIENCE, 1000);
    if (m->outbox.at == m->noc.at + self * m->outbox.size && m->outbox.size <= m->noc.size / count)
        m->n_rings = count;
}

/* Returns whether the tree says that the last hart of cluster `number` is a DMA engine. */
static __init_text bool read_engine(struct fdt *f, u32 node, u32 number, u32 count)
{
    u32 size;
    const u8 *around = fdt_property(f, node, FDT_CLUSTERS, &size);
    return around && size == count * 16 && fdt_cell_at(around, number * 4 + 3);
}

/* Read the list of harts and of their doorbells. Returns whether there is one. */
static __init_text bool read_harts(struct fdt *f, struct machine *m, u32 node)
{
    u32 size, none;
    const u8 *harts = fdt_property(f, node, FDT_HARTS, &size);
    if (!harts)
        return false;
    u32 n = MIN(size / 8, (u32)MAX_CPUS);
    m->left_out = size / 8 - n;
    for (u32 i = 0; i < n; i++) {
        u32 at = fdt_cell_at(harts, 2 * i + 1);
        m->hart[i] = fdt_cell_at(harts, 2 * i);
        m->bell[i] = at % 4 == 0 && at < m->doorbells.size ? m->doorbells.at + at : 0;
    }
    m->n_harts = n;
    m->sstc = fdt_property(f, node, FDT_SSTC, &none);
    m->svnapot = PAGES_64K && fdt_property(f, node, FDT_SVNAPOT, &none);
    m->time_hz = fdt_number(f, node, FDT_TIMEBASE_FREQUENCY);
    return true;
}

__init_text int machine_read_cluster(struct fdt *f, u32 node, struct boot_info *bi, struct machine *m, bool *listed)
{
    u32 size, number = fdt_cell(f, node, FDT_NUMBER, 0), count = fdt_cell(f, node, FDT_COUNT, 0);
    if (number >= count || count > 0xffff)
        return -EINVAL;
    bi->self = (u16)number;
    bi->n_kernels = (u16)count;
    bi->awake = (u16)MIN(fdt_cell(f, node, FDT_AWAKE, 0), (u32)MAX_CPUS);
    m->zeroed = fdt_property(f, node, FDT_ZEROED, &size);
    read_noc(f, m, node, number, count);
    if (!m->n_harts)
        *listed = read_harts(f, m, node);
    if (read_engine(f, node, number, count) && m->n_harts && !m->left_out)
        bi->exempt = (u16)(m->n_harts - 1);
    return 0;
}
