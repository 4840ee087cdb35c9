/* SPDX-License-Identifier: MIT */
/* ipi.h - tells traps.c that a software interrupt now means: halt. */
#ifndef AMALGAM_RISCV_IPI_H
#define AMALGAM_RISCV_IPI_H

#include <types.h>

extern bool cpus_stopping;

#endif
