/* SPDX-License-Identifier: MIT */
/*
 * acpi.c - reads RSDP, then RSDT or XSDT, then the known tables (ACPI 6.5 5.2.5-5.2.12, IA-PC HPET 1.0a 3.2.4). Each
 * table is mapped in its whole length, and its checksum verified, before a field is used.
 */
#include <arch/acpi.h>
#include <bytes.h>
#include <errors.h>
#include <string.h>

#define RSDP_V1_SIZE     20
#define RSDP_V2_SIZE     36
#define HEADER_SIZE      36
#define TABLE_MAX        (1 * MIB)
#define ROOT_MAX_ENTRIES 128

static __init_text bool sums_to_zero(const u8 *p, u64 n)
{
    u8 sum = 0;
    while (n--)
        sum += *p++;
    return !sum;
}

#define SIGNATURE(a, b, c, d) ((u32)(a) | (u32)(b) << 8 | (u32)(c) << 16 | (u32)(d) << 24)
#define ANY_TABLE             0
#define XSDT                  SIGNATURE('X', 'S', 'D', 'T')

/* Return the table at `pa` if it is complete and has the signature, else NULL. */
static __init_text const u8 *table_at(paddr_t pa, u32 signature, phys_map_fn map)
{
    const u8 *t = pa ? map(pa, HEADER_SIZE) : NULL;
    if (!t)
        return NULL;
    u32 len = get32(t + 4);
    if (len < HEADER_SIZE || len > TABLE_MAX)
        return NULL;
    t = map(pa, len);
    return t && sums_to_zero(t, len) && (signature == ANY_TABLE || get32(t) == signature) ? t : NULL;
}

static __init_text u32 length(const u8 *table) { return get32(table + 4); }

static __init_text void add_cpu(struct acpi_info *info, u32 id, u32 flags)
{
    if (!(flags & 1)) /* bit 1, "online capable", is an empty socket */
        return;
    for (unsigned i = 0; i < info->n_cpus; i++)
        if (info->apic_id[i] == id)
            return;
    if (info->n_cpus == ACPI_MAX_CPUS)
        info->cpus_left_out++;
    else
        info->apic_id[info->n_cpus++] = id;
}

static __init_text void madt_entry(const u8 *e, u8 len, struct acpi_info *info)
{
    enum { LAPIC, IOAPIC, OVERRIDE, LAPIC_ADDRESS = 5, X2APIC = 9 };
    static const u8 size[] = {
        [LAPIC] = 8, [IOAPIC] = 12, [OVERRIDE] = 10, [LAPIC_ADDRESS] = 12, [X2APIC] = 16,
    };
    if (e[0] >= sizeof(size) || len < size[e[0]])
        return;
    switch (e[0]) {
    case LAPIC: add_cpu(info, e[3], get32(e + 4)); break;
    case IOAPIC:
        if (info->n_ioapics < ACPI_MAX_IOAPICS)
            info->ioapic[info->n_ioapics++] = (struct acpi_ioapic){ .base = get32(e + 4), .gsi_base = get32(e + 8) };
        break;
    case OVERRIDE:
        if (info->n_overrides < ACPI_MAX_OVERRIDES)
            info->override[info->n_overrides++] = (struct acpi_override){ .irq = e[3], .gsi = get32(e + 4) };
        break;
    case LAPIC_ADDRESS: info->lapic = get64(e + 4); break;
    case X2APIC: add_cpu(info, get32(e + 4), get32(e + 8)); break;
    }
}

static __init_text void read_madt(const u8 *t, struct acpi_info *info)
{
    u32 len = length(t);
    if (len < 44)
        return;
    info->lapic = get32(t + 36);
    for (u32 at = 44; at + 2 <= len;) {
        u8 n = t[at + 1];
        if (n < 2 || n > len - at)
            return;
        madt_entry(t + at, n, info);
        at += n;
    }
}

#define AML_PACKAGE 0x12 /* ACPI 6.4, 20.2.5.4 */
#define AML_BYTE    0x0a /* 20.2.3 */

/*
 * \_S5 is in AML, which is not interpreted here. Every firmware writes it as Name(_S5, Package{typ_a, typ_b, ..}), so
 * this searches for the name and the bytes that follow: 12 <PkgLength> <count>, then a byte constant (0A nn, Zero 00,
 * One 01).
 */
static __init_text void read_dsdt(const u8 *t, struct acpi_info *info)
{
    for (u32 i = HEADER_SIZE; i + 12 <= length(t); i++) {
        const u8 *p = t + i;
        if (get32(p) != SIGNATURE('_', 'S', '5', '_') || p[4] != AML_PACKAGE)
            continue;
        p += 5 + 1 + (p[5] >> 6) + 1; /* the top bits of PkgLength say how many more bytes it has, at most 3 */
        u8 typ = *p == AML_BYTE ? p[1] : *p;
        if (typ < 8)
            info->s5_type = (s8)typ;
        return;
    }
}

static __init_text void read_fadt(const u8 *t, phys_map_fn map, struct acpi_info *info)
{
    u32 len = length(t);
    if (len < 116) /* the size in ACPI 1.0 */
        return;
    info->pm1a_control = (u16)get32(t + 64);
    info->pm1b_control = (u16)get32(t + 68);
    info->pm_timer = (u16)get32(t + 76);
    info->pm_timer_32 = t[113] & 1;
    paddr_t dsdt = len >= 148 ? get64(t + 140) : 0;
    t = table_at(dsdt ? dsdt : get32(t + 40), SIGNATURE('D', 'S', 'D', 'T'), map);
    if (t)
        read_dsdt(t, info);
}

static __init_text void read_table(paddr_t pa, phys_map_fn map, struct acpi_info *info)
{
    const u8 *t = table_at(pa, ANY_TABLE, map);
    if (!t) {
        info->damaged++;
        return;
    }
    switch (get32(t)) {
    case SIGNATURE('A', 'P', 'I', 'C'): read_madt(t, info); break;
    case SIGNATURE('F', 'A', 'C', 'P'): read_fadt(t, map, info); break;
    case SIGNATURE('H', 'P', 'E', 'T'):
        if (length(t) >= 56 && t[40] == 0) /* in memory space */
            info->hpet = get64(t + 44);
    }
}

static __init_text bool is_rsdp(const u8 *p)
{
    return p && get32(p) == SIGNATURE('R', 'S', 'D', ' ') && get32(p + 4) == SIGNATURE('P', 'T', 'R', ' ') &&
           sums_to_zero(p, RSDP_V1_SIZE);
}

static __init_text paddr_t scan(paddr_t from, u64 size, phys_map_fn map)
{
    for (u64 off = 0; off + RSDP_V2_SIZE <= size; off += 16)
        if (is_rsdp(map(from + off, RSDP_V1_SIZE)))
            return from + off;
    return 0;
}

/* ACPI 6.5 5.2.5.1: the first KiB of the extended BIOS area, then the BIOS itself. */
static __init_text paddr_t find_rsdp(phys_map_fn map)
{
    const u8 *segment = map(0x40e, 2);
    paddr_t ebda = segment ? (paddr_t)get16(segment) << 4 : 0;
    paddr_t found = ebda ? scan(ebda, KIB, map) : 0;
    return found ? found : scan(0xe0000, 0x20000, map);
}

/* Return the root table, with entries of eight bytes or four, or NULL. */
static __init_text const u8 *find_root(const u8 *rsdp, paddr_t pa, phys_map_fn map)
{
    const u8 *v2 = rsdp[15] >= 2 ? map(pa, RSDP_V2_SIZE) : NULL;
    const u8 *root = NULL;

    if (v2 && sums_to_zero(v2, RSDP_V2_SIZE))
        root = table_at(get64(v2 + 24), XSDT, map);
    return root ? root : table_at(get32(rsdp + 16), SIGNATURE('R', 'S', 'D', 'T'), map);
}

__init_text int acpi_read(paddr_t rsdp, phys_map_fn map, struct acpi_info *info)
{
    memset(info, 0, sizeof(*info));
    info->s5_type = -1;
    if (!rsdp)
        rsdp = find_rsdp(map);
    if (!rsdp)
        return -ENOENT;
    const u8 *p = map(rsdp, RSDP_V1_SIZE);
    if (!is_rsdp(p))
        return -EBADMSG;
    const u8 *root = find_root(p, rsdp, map);
    if (!root)
        return -EBADMSG;
    unsigned width = get32(root) == XSDT ? 8 : 4;
    u32 end = MIN(length(root), HEADER_SIZE + ROOT_MAX_ENTRIES * width);
    for (u32 at = HEADER_SIZE; at + width <= end; at += width)
        read_table(width == 8 ? get64(root + at) : get32(root + at), map, info);
    return 0;
}
