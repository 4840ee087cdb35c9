/* SPDX-License-Identifier: MIT */
/* mark.h - marks for the emulator's clocks (docs/coherence.md, "Clocks"), and on RISC-V for the counting plugin
 * (tools/plugin/clocks.c): instructions without an effect. */
#ifndef AMALGAM_PROGRAMS_MARK_H
#define AMALGAM_PROGRAMS_MARK_H

/* Execute mark `number`, a constant from 0 to 255; on i386 to 239. */
#if defined(__riscv)
#define MARK(number) __asm__ volatile("slti x0, x0, 256 + %0" ::"i"(number) : "memory")
#elif defined(__i386__)
#define MARK(number) __asm__ volatile(".byte 0x82, 0xf8, %c0" ::"i"(16 + (number)) : "memory", "cc")
#else
#define MARK(number) ((void)(number))
#endif

#endif
