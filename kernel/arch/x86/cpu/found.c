/* SPDX-License-Identifier: MIT */
/*
 * found.c - variables that describe the machine: set at boot by boot/, or at load by attach/ for the part that Linux
 * gave. With a Linux above, n_cpus counts the cores that it has ever given, and `machine` has only the local APIC.
 */
#include <arch/apic.h>
#include <arch/boot.h>
#include <arch/cpu.h>
#include <core/cpu.h>

struct boot_info boot_info;
struct cpu *cpus[MAX_CPUS];
struct cpu only_cpu; /* of a kernel for one core */
unsigned n_cpus;
struct acpi_info machine;
volatile u32 *apic_registers; /* NULL: x2APIC */
