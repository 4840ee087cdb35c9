/* SPDX-License-Identifier: MIT */
/*
 * acpi.c - RSDP, then RSDT or XSDT, then the tables we know (ACPI 6.5 5.2.5-5.2.12,
 * IA-PC HPET 1.0a 3.2.4).  Every table is mapped at its whole length and summed
 * before a field of it is used; readers below get (pointer, checked length).
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

/* The table at `pa`, checked, or NULL. */
static __init_text const u8 *table_at(paddr_t pa, phys_map_fn map, u32 *len)
{
    const u8 *t = pa ? map(pa, HEADER_SIZE) : NULL;
    if (!t)
        return NULL;
    *len = get32(t + 4);
    if (*len < HEADER_SIZE || *len > TABLE_MAX)
        return NULL;
    t = map(pa, *len);
    return t && sums_to_zero(t, *len) ? t : NULL;
}

static __init_text void add_cpu(struct acpi_info *info, u32 id, u32 flags)
{
    if (!(flags & 1)) /* bit 1, "online capable", is a socket to plug into */
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
    switch (e[0]) {
    case 0: /* processor local APIC */
        if (len >= 8)
            add_cpu(info, e[3], get32(e + 4));
        break;
    case 1: /* I/O APIC */
        if (len >= 12 && info->n_ioapics < ACPI_MAX_IOAPICS)
            info->ioapic[info->n_ioapics++] =
                (struct acpi_ioapic){ .id = e[2], .base = get32(e + 4), .gsi_base = get32(e + 8) };
        break;
    case 2: /* interrupt source override */
        if (len >= 10 && info->n_overrides < ACPI_MAX_OVERRIDES)
            info->override[info->n_overrides++] =
                (struct acpi_override){ .irq = e[3], .gsi = get32(e + 4), .flags = get16(e + 8) };
        break;
    case 5: /* 64-bit address of the local APIC */
        if (len >= 12)
            info->lapic = get64(e + 4);
        break;
    case 9: /* processor local x2APIC */
        if (len >= 16)
            add_cpu(info, get32(e + 4), get32(e + 8));
        break;
    }
}

static __init_text void read_madt(const u8 *t, u32 len, struct acpi_info *info)
{
    if (len < 44)
        return;
    info->lapic = get32(t + 36);
    info->has_8259 = get32(t + 40) & 1;
    for (u32 at = 44; at + 2 <= len;) {
        u8 n = t[at + 1];
        if (n < 2 || n > len - at)
            return;
        madt_entry(t + at, n, info);
        at += n;
    }
}

/*
 * \_S5 lives in AML, which we do not interpret: every firmware writes it as
 * Name(_S5, Package{typ_a, typ_b, ..}), so the name and what follows are looked for:
 * 12 <PkgLength> <count> then a byte constant (0A nn, Zero 00, One 01).
 */
static __init_text void read_dsdt(const u8 *t, u32 len, struct acpi_info *info)
{
    for (u32 i = HEADER_SIZE; i + 12 <= len; i++) {
        if (memcmp(t + i, "_S5_\x12", 5))
            continue;
        u32 at = i + 5;
        at += 1 + (t[at] >> 6) + 1; /* PkgLength says in its top bits how many bytes follow it: at <= i + 10 */
        u8 typ = t[at] == 0x0a ? t[at + 1] : t[at];
        if (typ < 8)
            info->s5_type = (s8)typ;
        return;
    }
}

static __init_text void read_fadt(const u8 *t, u32 len, phys_map_fn map, struct acpi_info *info)
{
    u32 n;

    if (len < 116) /* the size of ACPI 1.0's */
        return;
    u32 flags = get32(t + 112);
    info->pm1a_control = (u16)get32(t + 64);
    info->pm1b_control = (u16)get32(t + 68);
    info->pm_timer = (u16)get32(t + 76);
    info->pm_timer_32 = flags & (1u << 8);
    if (len >= 129 && (flags & (1u << 10)) && t[116] <= 1) { /* RESET_REG_SUP, in memory or I/O space */
        info->reset_space = t[116];
        info->reset_address = get64(t + 120);
        info->reset_value = t[128];
    }
    paddr_t dsdt = len >= 148 && get64(t + 140) ? get64(t + 140) : get32(t + 40);
    const u8 *d = table_at(dsdt, map, &n);
    if (d && !memcmp(d, "DSDT", 4))
        read_dsdt(d, n, info);
}

static __init_text void read_table(paddr_t pa, phys_map_fn map, struct acpi_info *info)
{
    u32 len;
    const u8 *t = table_at(pa, map, &len);

    if (!t)
        info->damaged++;
    else if (!memcmp(t, "APIC", 4))
        read_madt(t, len, info);
    else if (!memcmp(t, "FACP", 4))
        read_fadt(t, len, map, info);
    else if (!memcmp(t, "HPET", 4) && len >= 56 && t[40] == 0) /* in memory space */
        info->hpet = get64(t + 44);
}

static __init_text bool is_rsdp(const u8 *p) { return p && !memcmp(p, "RSD PTR ", 8) && sums_to_zero(p, RSDP_V1_SIZE); }

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

/* The root table and the width of its entries, or NULL. */
static __init_text const u8 *find_root(const u8 *rsdp, paddr_t pa, phys_map_fn map, u32 *len, unsigned *width)
{
    const u8 *v2 = rsdp[15] >= 2 ? map(pa, RSDP_V2_SIZE) : NULL;
    const u8 *root;

    if (v2 && sums_to_zero(v2, RSDP_V2_SIZE)) {
        *width = 8;
        root = table_at(get64(v2 + 24), map, len);
        if (root && !memcmp(root, "XSDT", 4))
            return root;
    }
    *width = 4;
    root = table_at(get32(rsdp + 16), map, len);
    return root && !memcmp(root, "RSDT", 4) ? root : NULL;
}

__init_text int acpi_read(paddr_t rsdp, phys_map_fn map, struct acpi_info *info)
{
    u32 len;
    unsigned width;

    memset(info, 0, sizeof(*info));
    info->s5_type = -1;
    if (!rsdp)
        rsdp = find_rsdp(map);
    if (!rsdp)
        return -ENOENT;
    const u8 *p = map(rsdp, RSDP_V1_SIZE);
    if (!is_rsdp(p))
        return -EBADMSG;
    const u8 *root = find_root(p, rsdp, map, &len, &width);
    if (!root)
        return -EBADMSG;
    u32 n = MIN((len - HEADER_SIZE) / width, (u32)ROOT_MAX_ENTRIES);
    for (u32 i = 0; i < n; i++) {
        const u8 *e = root + HEADER_SIZE + i * width;
        read_table(width == 8 ? get64(e) : get32(e), map, info);
    }
    return 0;
}
