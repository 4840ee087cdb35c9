/* SPDX-License-Identifier: MIT */
/*
 * machine.c - reads the device tree's nodes that the kernel needs.
 *
 * These are memory and its reserved parts, harts, the timer, the command line and the system image (/chosen), the
 * serial port, interrupt controllers, and places of virtio devices if processes drive some; machine_cluster.c reads the
 * node of a cluster. If that one lists its harts it has all that the nodes behind it say at length, so they are not
 * read. Addresses of devices are used as they are: the buses of such boards have empty `ranges`.
 */
#include <arch/boot.h>
#include <arch/fdt.h>
#include <errors.h>
#include <string.h>

#define SUPERVISOR_SOFT     1u /* inputs of a hart's own controller (riscv,cpu-intc) */
#define SUPERVISOR_EXTERNAL 9u

#define SSWIS 4u /* nodes of doorbells; the harts of further ones are rung through the firmware */

/* The state of the walk over the tree. */
struct reading {
    struct fdt f;
    struct boot_info *bi;
    struct machine *m;
    u32 address_cells[FDT_MAX_DEPTH + 2], size_cells[FDT_MAX_DEPTH + 2]; /* for the children of a node of each depth */
    bool in_reserved;                                                    /* inside /reserved-memory */
    bool has_memory;
    bool last_is_cpu; /* the parent node is a hart that we use */
    bool listed;      /* the cluster's node has listed the harts */
    u32 plic;         /* a node */
    const u8 *isa;    /* of the last hart */
    u32 isa_size;
    struct {
        u32 node;
        paddr_t at;
    } sswi[SSWIS];
    u32 n_sswis;
    int err;
};

static __init_text bool is_named(const char *name, const char *wanted)
{
    size_t n = strlen(wanted);
    return !strncmp(name, wanted, n) && (!name[n] || name[n] == '@');
}

static __init_text void add_region(struct reading *r, u64 base, u64 size, u32 type)
{
    struct boot_info *bi = r->bi;
    if (!size)
        return;
    if (base + size < base)
        r->err = -EINVAL;
    else if (bi->n_regions == BOOT_MAX_REGIONS)
        r->err = -ENOSPC;
    else
        bi->region[bi->n_regions++] = (struct boot_region){ base, size, type };
}

/* Add all pairs of address and size in a node's `reg`. Returns whether there is one. */
static __init_text bool add_regions(struct reading *r, u32 node, unsigned depth, u32 type)
{
    u32 a = r->address_cells[depth], s = r->size_cells[depth], size;
    const u8 *value = fdt_property(&r->f, node, FDT_REG, &size);
    for (u32 i = 0; value && a + s && (i + a + s) * 4 <= size; i += a + s)
        add_region(r, fdt_cells_at(value, i, a), fdt_cells_at(value, i + a, s), type);
    return value && a + s && (a + s) * 4 <= size;
}

/* The first address in `reg`, 0 if there is none. */
static __init_text paddr_t address(struct reading *r, u32 node, unsigned depth)
{
    u32 a = r->address_cells[depth], size;
    const u8 *value = fdt_property(&r->f, node, FDT_REG, &size);
    return value && size >= 4 * a ? fdt_cells_at(value, 0, a) : 0;
}

static __init_text void read_chosen(struct reading *r, u32 node)
{
    u32 size;
    const u8 *line = fdt_property(&r->f, node, FDT_BOOTARGS, &size);
    for (u32 i = 0; line && i < size && line[i] && i < BOOT_CMDLINE_MAX - 1; i++)
        r->bi->cmdline[i] = (char)line[i];
#if SEED
    const u8 *seed = fdt_property(&r->f, node, FDT_RNG_SEED, &size);
    seed_take((void *)seed, size);
#endif
    u64 start = fdt_number(&r->f, node, FDT_INITRD_START), end = fdt_number(&r->f, node, FDT_INITRD_END);
    if (end > start) {
        r->bi->system_base = start;
        r->bi->system_size = end - start;
    }
}

/* Whether an ISA string, rv64imac_zicsr_..., has an extension of several letters. */
static __init_text bool isa_has(const u8 *isa, u32 size, const char *name)
{
    u32 n = (u32)strlen(name);
    for (u32 i = 1; isa && i + n < size; i++)
        if (isa[i - 1] == '_' && !memcmp(isa + i, name, n) && (isa[i + n] == '_' || !isa[i + n]))
            return true;
    return false;
}

/* Whether a hart's ISA string is that of the hart before it, as most are. */
static __init_text bool is_as_before(const struct reading *r, const u8 *isa, u32 size)
{
    u32 i = 0;
    bool same = isa && r->isa && size == r->isa_size;
    if (same && IS_ALIGNED((uintptr_t)isa | (uintptr_t)r->isa, sizeof(u32)))
        for (; same && size - i >= sizeof(u32); i += sizeof(u32))
            same = *(const u32 *)(isa + i) == *(const u32 *)(r->isa + i);
    for (; same && i < size; i++)
        same = isa[i] == r->isa[i];
    return same;
}

static __init_text bool read_hart(struct reading *r, u32 node, unsigned depth)
{
    struct machine *m = r->m;
    u32 size;
    const u8 *isa = fdt_property(&r->f, node, FDT_ISA, &size);
    if (fdt_lists(&r->f, node, FDT_STATUS, "disabled"))
        return false;
    if (m->n_harts == MAX_CPUS) {
        m->left_out++;
        return false;
    }
    if (!is_as_before(r, isa, size)) {
        m->sstc &= isa_has(isa, size, "sstc");
        m->svnapot &= PAGES_64K && isa_has(isa, size, "svnapot");
    }
    r->isa = isa;
    r->isa_size = isa ? size : 0;
    m->hart[m->n_harts++] = (unsigned long)address(r, node, depth);
    return true;
}

static __init_text void read_device(struct reading *r, u32 node, unsigned depth)
{
    struct machine *m = r->m;
    struct fdt *f = &r->f;
    u32 size = 0;
    const u8 *compatible = fdt_property(f, node, FDT_COMPATIBLE, &size);
    if (fdt_list_has(compatible, size, "ns16550a") && !m->uart) {
        m->uart = address(r, node, depth);
        m->uart_irq = fdt_cell(f, node, FDT_INTERRUPTS, 0);
        m->uart_shift = fdt_cell(f, node, FDT_REG_SHIFT, 0) & 3;
    } else if (fdt_list_has(compatible, size, "riscv,plic0")) {
        m->plic = address(r, node, depth);
        r->plic = node;
    } else if (fdt_list_has(compatible, size, "riscv,aclint-sswi") && r->n_sswis < SSWIS) {
        r->sswi[r->n_sswis].node = node;
        r->sswi[r->n_sswis++].at = address(r, node, depth);
    } else if (fdt_list_has(compatible, size, "google,goldfish-rtc")) {
        m->rtc = address(r, node, depth);
    } else if (DRIVEN && fdt_list_has(compatible, size, "virtio,mmio")) {
        slot_take(address(r, node, depth), fdt_cell(f, node, FDT_INTERRUPTS, 0));
    } else if (fdt_list_has(compatible, size, "amalgam,cluster")) {
        r->err = machine_read_cluster(f, node, r->bi, m, &r->listed);
    }
}

static __init_text void read_node(struct reading *r, u32 node, unsigned depth)
{
    const char *name = fdt_name(&r->f, node);
    bool of_cpu = r->last_is_cpu && fdt_lists(&r->f, node, FDT_COMPATIBLE, "riscv,cpu-intc");
    if (depth <= 1)
        r->in_reserved = depth == 1 && is_named(name, "reserved-memory");
    if (of_cpu)
        r->m->intc[r->m->n_harts - 1] = fdt_cell(&r->f, node, FDT_PHANDLE, 0);
    else if (depth == 1 && is_named(name, "chosen"))
        read_chosen(r, node);
    else if (depth == 1 && is_named(name, "memory"))
        r->has_memory |= add_regions(r, node, depth, BOOT_MEM_RAM);
    else if (depth == 2 && r->in_reserved)
        add_regions(r, node, depth, BOOT_MEM_RESERVED);
    else if (depth == 1 && is_named(name, "cpus"))
        r->m->time_hz = fdt_number(&r->f, node, FDT_TIMEBASE_FREQUENCY);
    else if (depth == 2 && fdt_lists(&r->f, node, FDT_DEVICE_TYPE, "cpu"))
        r->last_is_cpu = read_hart(r, node, depth);
    else
        read_device(r, node, depth);
    if (depth < 2)
        r->last_is_cpu = false;
}

/* Find each hart's input `wanted` in a controller's `interrupts-extended`: its index there. Most trees have them in the
 * order of the harts, so each one is looked for behind the last one that was found. */
static __init_text void read_places(struct reading *r, u32 node, u32 wanted, u32 *place)
{
    u32 size = 0;
    const u8 *value = node ? fdt_property(&r->f, node, FDT_INTERRUPTS_EXTENDED, &size) : NULL;
    u32 n = value ? size / 8 : 0, i = 0;
    for (unsigned h = 0; h < r->m->n_harts; h++) {
        place[h] = NO_NUMBER;
        for (u32 tries = 0; tries < n && place[h] == NO_NUMBER; tries++, i = i + 1 < n ? i + 1 : 0)
            if (fdt_cell_at(value, 2 * i) == r->m->intc[h] && fdt_cell_at(value, 2 * i + 1) == wanted)
                place[h] = i;
    }
}

static __init_text void read_bells(struct reading *r)
{
    u32 place[MAX_CPUS];
    for (u32 i = 0; i < r->n_sswis; i++) {
        read_places(r, r->sswi[i].node, SUPERVISOR_SOFT, place);
        for (unsigned h = 0; h < r->m->n_harts; h++)
            if (place[h] != NO_NUMBER)
                r->m->bell[h] = r->sswi[i].at + 4 * place[h];
    }
}

static __init_text int cells_of(struct reading *r, u32 node, unsigned depth)
{
    r->address_cells[depth + 1] = fdt_cell(&r->f, node, FDT_ADDRESS_CELLS, 2);
    r->size_cells[depth + 1] = fdt_cell(&r->f, node, FDT_SIZE_CELLS, 1);
    return r->address_cells[depth + 1] > 3 || r->size_cells[depth + 1] > 2 ? -EINVAL : 0;
}

__init_text int machine_read(const void *tree, u32 max, struct boot_info *bi, struct machine *m)
{
    static struct reading r; /* too large for a stack */
    r = (struct reading){ .bi = bi, .m = m, .address_cells = { 2 }, .size_cells = { 1 } };
    unsigned depth = 0;
    *bi = (struct boot_info){ .loader = "SBI" };
    *m = (struct machine){ .sstc = true, .svnapot = PAGES_64K };
    r.err = fdt_open(&r.f, tree, max);
    for (u32 node = 0; !r.err && !r.listed && (node = fdt_next(&r.f, node, &depth));) {
        r.err = cells_of(&r, node, depth);
        if (!r.err)
            read_node(&r, node, depth);
    }
    if (!r.err && (!m->n_harts || !m->time_hz || !r.has_memory))
        r.err = -EINVAL;
    if (r.err)
        return r.err;
    read_places(&r, r.plic, SUPERVISOR_EXTERNAL, m->plic_context);
    read_bells(&r);
    return 0;
}
