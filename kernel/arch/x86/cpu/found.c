/* SPDX-License-Identifier: MIT */
/*
 * found.c - variables that describe the machine: set at boot by boot/, or at load by attach/ for the part that Linux
 * gave. With a Linux above, n_cpus counts the cores that it has ever given, and `machine` has only the local APIC.
 */
#include <arch/boot.h>
#include <core/cpu.h>

struct boot_info boot_info;
struct cpu *cpus[MAX_CPUS];
unsigned n_cpus;
struct acpi_info machine;
