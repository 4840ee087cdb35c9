/* SPDX-License-Identifier: MIT */
/*
 * found.c - what was found of the machine at boot or at load: filled by boot/, or by attach/ for the part that Linux
 * gave. With a Linux above, n_cpus counts the cores that it gave, ever, and `machine` has the local APIC alone.
 */
#include <arch/boot.h>
#include <core/cpu.h>

struct boot_info boot_info;
struct cpu *cpus[MAX_CPUS];
unsigned n_cpus;
struct acpi_info machine;
