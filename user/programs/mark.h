/* SPDX-License-Identifier: MIT */
/* mark.h - marks for the counting plugin (tools/plugin/clocks.c): instructions without an effect. RISC-V only. */
#ifndef AMALGAM_PROGRAMS_MARK_H
#define AMALGAM_PROGRAMS_MARK_H

/* Execute mark `number`, a constant from 0 to 255. */
#if defined(__riscv)
#define MARK(number) __asm__ volatile("slti x0, x0, 256 + %0" ::"i"(number) : "memory")
#else
#define MARK(number) ((void)(number))
#endif

#endif
