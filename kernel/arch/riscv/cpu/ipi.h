/* SPDX-License-Identifier: MIT */
/* ipi.h - for traps.c: a ring now means halt. */
#ifndef AMALGAM_RISCV_IPI_H
#define AMALGAM_RISCV_IPI_H

#include <types.h>

extern bool cpus_stopping;

#endif
