/* SPDX-License-Identifier: MIT */
/*
 * arch/acpi.h - reads a few static facts from ACPI (6.5, chapter 5): CPUs, I/O APICs, HPET, PM timer, and how to power
 * off.
 *
 * It only reads. Firmware's tables are checked (signature, length, checksum). A damaged table is left out and counted,
 * so that a machine with one bad table boots.
 */
#ifndef AMALGAM_ARCH_ACPI_H
#define AMALGAM_ARCH_ACPI_H

#include <arch/boot_parse.h>

#define ACPI_MAX_CPUS      64
#define ACPI_MAX_IOAPICS   8
#define ACPI_MAX_OVERRIDES 16

struct acpi_ioapic {
    u32 base, gsi_base;
};

struct acpi_override {
    u8 irq; /* ISA interrupt */
    u32 gsi;
};

struct acpi_info {
    unsigned n_cpus, n_ioapics, n_overrides;
    u32 apic_id[ACPI_MAX_CPUS]; /* of enabled CPUs, in table order, each once */
    struct acpi_ioapic ioapic[ACPI_MAX_IOAPICS];
    struct acpi_override override[ACPI_MAX_OVERRIDES];
    unsigned cpus_left_out;         /* enabled, but more than ACPI_MAX_CPUS */
    unsigned damaged;               /* tables refused */
    paddr_t lapic;                  /* 0: no MADT */
    paddr_t hpet;                   /* 0: none */
    u16 pm_timer;                   /* port, 0: none */
    bool pm_timer_32;               /* false: it wraps at 24 bits */
    u16 pm1a_control, pm1b_control; /* ports, 0: none */
    s8 s5_type;                     /* SLP_TYP of soft-off from the DSDT's \_S5, -1 unknown */
};

/*
 * Read the tables, whose RSDP is at `rsdp` (0: search the BIOS areas), through `map`. *info becomes what was found,
 * also after an error. Returns 0; -ENOENT: no RSDP; -EBADMSG: the RSDP or the root table is damaged.
 */
int acpi_read(paddr_t rsdp, phys_map_fn map, struct acpi_info *info);

#endif
