/* SPDX-License-Identifier: MIT */
/* What acpi_read() promises, on tables built here: facts found, damaged tables left out, loops bounded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <arch/acpi.h>
#include <bytes.h>
#include <errors.h>
#include <string.h>
#include "images.h"

#define XSDT 0x1000
#define RSDT 0x1800
#define MADT 0x2000
#define FADT 0x3000
#define HPET 0x4000
#define DSDT 0x5000
#define RSDP 0xe0040
static u8 ram[0x100000];

static const void *map(paddr_t pa, u64 len) { return pa <= sizeof(ram) && len <= sizeof(ram) - pa ? ram + pa : NULL; }

static u32 madt_len;
static u8 *madt_entry(u8 type, u8 len)
{
    u8 *e = ram + MADT + madt_len;
    e[0] = type;
    e[1] = len;
    madt_len += len;
    return e;
}

static void cpu(u32 id, u32 flags)
{
    u8 *e = madt_entry(0, 8);
    e[3] = (u8)id;
    put32(e + 4, flags);
}

static void x2cpu(u32 id, u32 flags)
{
    u8 *e = madt_entry(9, 16);
    put32(e + 4, id);
    put32(e + 8, flags);
}

static int setup(void **state)
{
    memset(ram, 0, sizeof(ram));
    put64(ram + XSDT + 36, FADT);
    put64(ram + XSDT + 44, MADT);
    put64(ram + XSDT + 52, HPET);
    acpi_table(ram + XSDT, "XSDT", 60);
    put32(ram + RSDT + 36, MADT);
    acpi_table(ram + RSDT, "RSDT", 40);
    put32(ram + MADT + 36, 0xfee00000);
    put32(ram + MADT + 40, 1);
    madt_len = 44;
    cpu(0, 1);
    cpu(4, 0); /* an empty socket */
    cpu(1, 1);
    x2cpu(1, 1); /* again */
    x2cpu(0x123, 3);
    u8 *e = madt_entry(1, 12);
    e[2] = 7;
    put32(e + 4, 0xfec00000);
    put32(e + 8, 24);
    e = madt_entry(2, 10);
    e[3] = 9;
    put32(e + 4, 20);
    put16(e + 8, 0xd);
    acpi_table(ram + MADT, "APIC", madt_len);
    u8 *f = ram + FADT;
    put32(f + 40, DSDT);
    put32(f + 64, 0x604);
    put32(f + 76, 0x608);
    put32(f + 112, 1u << 8 | 1u << 10);
    f[116] = 1;
    put64(f + 120, 0xcf9);
    f[128] = 6;
    acpi_table(ram + FADT, "FACP", 244);
    put64(ram + HPET + 44, 0xfed00000);
    acpi_table(ram + HPET, "HPET", 56);
    memcpy(ram + DSDT + 40, "\x08_S5_\x12\x06\x04\x0a\x05\x00\x00\x00", 13);
    acpi_table(ram + DSDT, "DSDT", 64);
    acpi_rsdp(ram + RSDP, 2, RSDT, XSDT);
    return 0;
}

static void test_finds_everything(void **state)
{
    struct acpi_info i;
    assert_int_equal(acpi_read(RSDP, map, &i), 0);
    assert_int_equal(i.n_cpus, 3);
    assert_int_equal(i.apic_id[0], 0);
    assert_int_equal(i.apic_id[1], 1);
    assert_int_equal(i.apic_id[2], 0x123);
    assert_int_equal(i.n_ioapics, 1);
    assert_int_equal(i.ioapic[0].base, 0xfec00000);
    assert_int_equal(i.ioapic[0].gsi_base, 24);
    assert_int_equal(i.n_overrides, 1);
    assert_int_equal(i.override[0].irq, 9);
    assert_int_equal(i.override[0].gsi, 20);
    assert_int_equal(i.lapic, 0xfee00000);
    assert_int_equal(i.hpet, 0xfed00000);
    assert_int_equal(i.pm_timer, 0x608);
    assert_true(i.pm_timer_32);
    assert_int_equal(i.pm1a_control, 0x604);
    assert_int_equal(i.s5_type, 5);
    assert_int_equal(i.damaged, 0);
}

static void test_searches_bios_and_ebda(void **state)
{
    struct acpi_info i;
    assert_int_equal(acpi_read(0, map, &i), 0);
    assert_int_equal(i.n_cpus, 3);
    memcpy(ram + 0x9fc10, ram + RSDP, 36);
    ram[RSDP] = 0;
    assert_int_equal(acpi_read(0, map, &i), -ENOENT);
    put16(ram + 0x40e, 0x9fc0);
    assert_int_equal(acpi_read(0, map, &i), 0);
    assert_int_equal(i.n_cpus, 3);
}

static void test_falls_back_to_rsdt(void **state)
{
    struct acpi_info i;
    acpi_rsdp(ram + RSDP, 0, RSDT, XSDT); /* ACPI 1: only the RSDT, which here names the MADT alone */
    assert_int_equal(acpi_read(RSDP, map, &i), 0);
    assert_int_equal(i.n_cpus, 3);
    assert_int_equal(i.hpet, 0);
    acpi_rsdp(ram + RSDP, 2, RSDT, XSDT);
    ram[XSDT + 36] ^= 1; /* XSDT's sum is wrong */
    assert_int_equal(acpi_read(RSDP, map, &i), 0);
    assert_int_equal(i.hpet, 0);
    ram[RSDT + 36] ^= 1;
    assert_int_equal(acpi_read(RSDP, map, &i), -EBADMSG);
}

static void test_damaged_table_is_left_out(void **state)
{
    struct acpi_info i;
    ram[HPET + 50] ^= 1;
    put32(ram + FADT + 4, 35);
    assert_int_equal(acpi_read(RSDP, map, &i), 0);
    assert_int_equal(i.damaged, 2);
    assert_int_equal(i.hpet, 0);
    assert_int_equal(i.n_cpus, 3);
    put32(ram + MADT + 4, 0xfffff000); /* a length beyond all memory */
    assert_int_equal(acpi_read(RSDP, map, &i), 0);
    assert_int_equal(i.damaged, 3);
    ram[RSDP + 3] ^= 1;
    assert_int_equal(acpi_read(RSDP, map, &i), -EBADMSG);
}

static void test_madt_entry_with_a_bad_length_ends_the_walk(void **state)
{
    struct acpi_info i;
    ram[MADT + 44 + 8 + 1] = 0;
    acpi_seal(ram + MADT, 9, madt_len);
    assert_int_equal(acpi_read(RSDP, map, &i), 0);
    assert_int_equal(i.n_cpus, 1);
    setup(NULL);
    ram[MADT + 44 + 16 + 1] = 0xff; /* nor does one that leaves the table */
    acpi_seal(ram + MADT, 9, madt_len);
    assert_int_equal(acpi_read(RSDP, map, &i), 0);
    assert_int_equal(i.n_cpus, 1);
}

static void test_more_cpus_than_we_take(void **state)
{
    struct acpi_info i;
    madt_len = 44;
    for (u32 id = 0; id < ACPI_MAX_CPUS + 5; id++)
        x2cpu(id, 1);
    acpi_table(ram + MADT, "APIC", madt_len);
    assert_int_equal(acpi_read(RSDP, map, &i), 0);
    assert_int_equal(i.n_cpus, ACPI_MAX_CPUS);
    assert_int_equal(i.cpus_left_out, 5);
}

static void test_s5_forms(void **state)
{
    struct acpi_info i;
    memcpy(ram + DSDT + 40, "\x08_S5_\x12\x06\x04\x00\x00\x00\x00\x00", 14); /* ZeroOp, as ICH9 */
    acpi_seal(ram + DSDT, 9, 64);
    acpi_read(RSDP, map, &i);
    assert_int_equal(i.s5_type, 0);
    memcpy(ram + DSDT + 40, "\x08_S5_\x12\x49\x00\x04\x0a\x07\x00\x00", 14); /* two length bytes */
    acpi_seal(ram + DSDT, 9, 64);
    acpi_read(RSDP, map, &i);
    assert_int_equal(i.s5_type, 7);
    memset(ram + DSDT + 40, 0, 20);
    memcpy(ram + DSDT + 52, "_S5_\x12\xc6\0\0\0\x04\x0a\x05", 12); /* ends with the table */
    acpi_seal(ram + DSDT, 9, 64);
    acpi_read(RSDP, map, &i);
    assert_int_equal(i.s5_type, 5);
    ram[DSDT + 53] = 'X';
    acpi_seal(ram + DSDT, 9, 64);
    acpi_read(RSDP, map, &i);
    assert_int_equal(i.s5_type, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_finds_everything, setup),
        cmocka_unit_test_setup(test_searches_bios_and_ebda, setup),
        cmocka_unit_test_setup(test_falls_back_to_rsdt, setup),
        cmocka_unit_test_setup(test_damaged_table_is_left_out, setup),
        cmocka_unit_test_setup(test_madt_entry_with_a_bad_length_ends_the_walk, setup),
        cmocka_unit_test_setup(test_more_cpus_than_we_take, setup),
        cmocka_unit_test_setup(test_s5_forms, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
