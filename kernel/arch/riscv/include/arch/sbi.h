/* SPDX-License-Identifier: MIT */
/* arch/sbi.h (RISC-V) - what the firmware is asked for: Supervisor Binary Interface 1.0. Any context. */
#ifndef AMALGAM_ARCH_SBI_H
#define AMALGAM_ARCH_SBI_H

#include <types.h>

/* Chapters 5.2, 5.3: a byte of the firmware's console. */
void sbi_putchar(u8 byte);
/* 6: at `deadline`, or TICKS_NEVER. */
void sbi_set_timer(u64 deadline);
/* 7: a supervisor software interrupt for a hart. */
void sbi_send_ipi(unsigned long hart);
/* 9: the hart enters the physical address `start` with its number in a0 and `arg` in a1. 0, or SBI's error. */
long sbi_hart_start(unsigned long hart, paddr_t start, unsigned long arg);
/* 10: power off; returns only if the firmware cannot. */
void sbi_shutdown(void);

#endif
