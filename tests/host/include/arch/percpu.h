/* SPDX-License-Identifier: MIT */
#ifndef AMALGAM_ARCH_PERCPU_H
#define AMALGAM_ARCH_PERCPU_H

struct arch_cpu {
    int unused;
};

#endif
