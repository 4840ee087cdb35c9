/* SPDX-License-Identifier: MIT */
/* arch/sbi.h (RISC-V) - calls of the firmware: Supervisor Binary Interface 1.0, and 2.0 where it says so. The numbers
 * are its chapters. Any context. */
#ifndef AMALGAM_ARCH_SBI_H
#define AMALGAM_ARCH_SBI_H

#include <types.h>

/* Chapter 5.2: write a byte to the firmware's console. */
void sbi_putchar(u8 byte);
/* Returns a byte that was typed, or -1. */
int sbi_getchar(void);
/* Chapters 4.8, 12.1 of 2.0: return whether the firmware writes bytes of memory. Write up to `n` bytes from `text` on
 * and return how many were written. */
bool sbi_can_write(void);
unsigned sbi_write(const void *text, unsigned n);
/* Chapter 6: raise the timer interrupt at `deadline`; TICKS_NEVER: never. */
void sbi_set_timer(u64 deadline);
/* Chapter 7: raise a supervisor software interrupt on a hart. */
void sbi_send_ipi(unsigned long hart);
/* Chapter 9: the hart enters the physical address `start` with its number in a0 and `arg` in a1. Returns 0, or SBI's
 * error code. */
long sbi_hart_start(unsigned long hart, paddr_t start, unsigned long arg);
/* Chapter 10: power off. Returns only if the firmware cannot. */
void sbi_shutdown(void);
/* The extension 0x0a00414d of a many-core's firmware: docs/boards.md has the functions. Returns 0, with *value, or
 * SBI's error code. */
long sbi_device(long function, unsigned long a, unsigned long b, unsigned long c, unsigned long d,
                unsigned long *value);

#endif
