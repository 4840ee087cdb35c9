/* SPDX-License-Identifier: MIT */
/*
 * quirks.h - the differences between QEMU 7.2's board and the chip, with a check for each.
 *
 * The program runs on the bare board and prints "quirk NAME here" or "quirk NAME gone" for each. The kernel's
 * workarounds (kernel/board/ref405ep) have the same names, so the workaround for a quirk that is gone can be found and
 * removed.
 */
#ifndef QUIRKS_H
#define QUIRKS_H

#include <guest.h>

void quirk(const char *name, bool here);

/* two pages of memory with different first words, and the addresses where they are mapped */
#define PAGE_A 0x00400000u
#define PAGE_B 0x00401000u
#define WORD_A 0xaaaa0001u
#define WORD_B 0xbbbb0002u
#define EA     0x40000000u

/* Load from `ea`, or store 0 there, in problem state with translation. Returns the frame at its end: VEC_SC if the
 * access succeeded; r3 is the loaded value. */
struct frame access(u32 ea, bool store);
/* Execute one instruction with r3 = `value` in state `msr`, at a physical address. Returns the frame at its end. */
struct frame one(u32 instruction, u32 msr, u32 value);

void mmu_quirks(void);
void timer_quirks(void);
void register_quirks(void);

#endif
