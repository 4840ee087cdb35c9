/* SPDX-License-Identifier: MIT */
/* found.c - the machine as boot has found it. */
#include <arch/boot.h>
#include <arch/memory.h>

struct boot_info boot_info;
struct cpu *cpus[MAX_CPUS];
unsigned n_cpus;
struct machine machine;
unsigned long linear_offset;
