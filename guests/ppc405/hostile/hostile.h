/* SPDX-License-Identifier: MIT */
/*
 * hostile.h - a guest that does everything it should not, from a seed.
 *
 * One step is one attack: some instructions or words at CODE with registers of chance, run in a mode
 * of chance by try(), which brings the program back whatever exception follows.  What the attack may
 * legally destroy is the guest's own: so its machine state is put back before each step,
 * stores go to ATTACKED or to addresses that a guest has no memory at, and a timer of its own is the only thing that
 * ends a loop it jumps into.
 */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <guest.h>

#define CODE        0x00200000 /* page of the words that are run; 0xc0..: their sc */
#define CODE_WORDS  8
#define ATTACKED    0x00210000 /* 64 KiB that may be overwritten */
#define LOOP_TICKS  200000u    /* 0.6 ms: then the PIT ends a step */
#define MEMORY_SIZE 0x00400000 /* of the guest */

extern u32 seed_state;
u32 chance(u32 below); /* 0 to below - 1 */
u32 word(void);

/* Attacks fill CODE and *f. */
void attack_privileged(struct frame *f); /* privileged opcodes with operands of chance */
void attack_reserved(struct frame *f);   /* reserved opcodes and fields */
void attack_random(struct frame *f);     /* words of chance */
void attack_tlb(struct frame *f);        /* any TLB contents, then an access through them */
void attack_registers(struct frame *f);  /* any SPR and DCR number, read and written */
void attack_hypercall(struct frame *f);  /* any number, any argument */
void attack_page(struct frame *f);       /* the register page (irfm), and what follows from it */
void attack_stores(struct frame *f);     /* all over the address space */
void attack_loop(struct frame *f);       /* never yields */

/* May this word be run? Some end the emulator or the guest by right, which would end the test and show nothing. */
bool allowed(u32 w);

#endif
