/* SPDX-License-Identifier: MIT */
/*
 * arch/vcpu.h (x86, 64 bits, either) - a virtual CPU as the files know it that a kernel with two back ends has once
 * (kernel/twins.mk): how large its record is. So they cannot name anything in line that one back end does its own way.
 */
#ifndef AMALGAM_ARCH_VCPU_H
#define AMALGAM_ARCH_VCPU_H

#include <hal/vcpu.h>

struct guest_cpu;

struct hal_vcpu {
    u64 unknown[VCPU_RECORD / 8];
};

#endif
