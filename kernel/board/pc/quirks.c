/* SPDX-License-Identifier: MIT */
/* quirks.c - works around errors of an emulator by which a guest could end the board; silicon has the default. */
#include <arch/amdv.h>
#include <arch/cpu.h>

/*
 * QEMU 7.2 (TCG) aborts when MOV to CR8 unmasks a pending virtual interrupt: helper_write_crN() raises it without the
 * lock that tcg_handle_interrupt() asserts. There the write is intercepted. tests/system/test_quirks.py shows the fact.
 */
u32 quirk_intercept_cr(void) { return cpuid(0x40000000, 0).ebx == 0x54474354 /* TCGT */ ? INT_CR8_WRITE : 0; }
