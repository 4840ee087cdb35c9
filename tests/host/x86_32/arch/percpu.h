/* SPDX-License-Identifier: MIT */
/* arch/percpu.h (x86, 32 bits, stand-in) - what files for both widths know of a core's record. */
#ifndef AMALGAM_TESTS_X86_32_PERCPU_H
#define AMALGAM_TESTS_X86_32_PERCPU_H

#include <types.h>

struct cpu;

struct arch_cpu {
    struct cpu *self;
    u32 apic_id;
    ticks_t deadline;
};

#endif
