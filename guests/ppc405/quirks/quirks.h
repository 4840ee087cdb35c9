/* SPDX-License-Identifier: MIT */
/*
 * quirks.h - where the board, as QEMU 7.2 makes it, differs from the chip: one question a fact.
 *
 * The program runs on the bare board and prints "quirk NAME here" or "quirk NAME gone" for each; the kernel's
 * workarounds (kernel/board/ref405ep) are named alike, so one that is gone can go there too.
 */
#ifndef QUIRKS_H
#define QUIRKS_H

#include <guest.h>

void quirk(const char *name, bool here);

#define PAGE_A 0x00400000u /* two pages of memory, with different first words, and where they are mapped */
#define PAGE_B 0x00401000u
#define WORD_A 0xaaaa0001u
#define WORD_B 0xbbbb0002u
#define EA     0x40000000u

/* Load (or store 0) at `ea` in problem state with translation; the frame at its end: VEC_SC if it did. r3: what was
 * loaded. */
struct frame access(u32 ea, bool store);
/* One instruction with r3 = `value` in state `msr`, as the physical address allows. */
struct frame one(u32 instruction, u32 msr, u32 value);

void mmu_quirks(void);
void timer_quirks(void);
void register_quirks(void);

#endif
