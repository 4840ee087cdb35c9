/* SPDX-License-Identifier: MIT */
/* acpi_read(): patches to a valid set of tables, whose sums are made right again unless the first byte says no. */
#include <arch/acpi.h>
#include "images.h"
#include "patch.h"

#define RSDP 0x010u
#define XSDT 0x040u
#define RSDT 0x080u
#define MADT 0x0c0u
#define FADT 0x180u
#define HPET 0x280u
#define DSDT 0x2c0u

static void build(void)
{
    static const u8 madt[] = { 0, 8, 0, 1, 1,   0,  0, 0,  9, 16, 0,    0,    7,    0,    0, 0, 1, 0,  0, 0,
                               0, 0, 0, 0, 1,   12, 2, 0,  0, 0,  0xc0, 0xfe, 0,    0,    0, 0, 2, 10, 0, 9,
                               9, 0, 0, 0, 0xd, 0,  5, 12, 0, 0,  0,    0,    0xe0, 0xfe, 0, 0, 0, 0 };
    u8 *m = fuzz_ram;
    memset(m, 0, 1024);
    acpi_rsdp(m + RSDP, 2, RSDT, XSDT);
    acpi_table(m + XSDT, "XSDT", 60);
    put64(m + XSDT + 36, MADT);
    put64(m + XSDT + 44, FADT);
    put64(m + XSDT + 52, HPET);
    acpi_table(m + RSDT, "RSDT", 40);
    put32(m + RSDT + 36, MADT);
    acpi_table(m + MADT, "APIC", 44 + sizeof(madt));
    memcpy(m + MADT + 44, madt, sizeof(madt));
    acpi_table(m + FADT, "FACP", 244);
    put32(m + FADT + 40, DSDT);
    put32(m + FADT + 112, 0x500);
    acpi_table(m + HPET, "HPET", 56);
    acpi_table(m + DSDT, "DSDT", 64);
    memcpy(m + DSDT + 40, "\x08_S5_\x12\x06\x04\x0a\x05", 10);
}

/* Right sums, with whatever lengths the patches left. */
static void seal_all(void)
{
    static const u32 at[] = { XSDT, RSDT, MADT, FADT, HPET, DSDT };
    for (unsigned i = 0; i < ARRAY_SIZE(at); i++) {
        u32 len = get32(fuzz_ram + at[i] + 4);
        if (len >= 36 && len <= FUZZ_RAM - at[i])
            acpi_seal(fuzz_ram + at[i], 9, len);
    }
    acpi_seal(fuzz_ram + RSDP, 8, 20);
    acpi_seal(fuzz_ram + RSDP, 32, 36);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    struct acpi_info info;

    if (!size)
        return 0;
    build();
    patch(fuzz_ram, 1024, data + 1, size - 1);
    if (*data)
        seal_all();
    acpi_read(RSDP, fuzz_map, &info);
    fuzz_unmap_all();
    if (info.n_cpus > ACPI_MAX_CPUS || info.n_ioapics > ACPI_MAX_IOAPICS || info.n_overrides > ACPI_MAX_OVERRIDES ||
        info.s5_type < -1 || info.s5_type > 7)
        abort();
    return 0;
}
