/* SPDX-License-Identifier: MIT */
#ifndef AMALGAM_ARCH_PERCPU_H
#define AMALGAM_ARCH_PERCPU_H

#include <types.h>

struct arch_cpu {
    u32 apic_id;
};

#endif
