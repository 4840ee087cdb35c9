/* SPDX-License-Identifier: MIT */
/*
 * hostile.h - a guest that attacks the hypervisor with random steps, the same for the same seed.
 *
 * One step is one attack: instructions or random words at CODE, run with random registers in a random mode by try(),
 * which returns after any exception. An attack may destroy the guest's own state. Therefore the machine state is
 * restored before each step, stores go to ATTACKED or to addresses without memory, and a timer ends a loop.
 */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <guest.h>

#define CODE        0x00200000 /* page of the words that are run; 0xc0..: their sc */
#define CODE_WORDS  8
#define ATTACKED    0x00210000 /* 64 KiB that may be overwritten */
#define LOOP_TICKS  200000u    /* 0.6 ms, after which the PIT ends a step */
#define MEMORY_SIZE 0x00400000 /* bytes of the guest's memory */

extern u32 seed_state;
u32 chance(u32 below); /* returns a random number from 0 to below - 1 */
u32 word(void);

/* Attacks fill CODE and *f. */
void attack_privileged(struct frame *f); /* privileged opcodes with random operands */
void attack_reserved(struct frame *f);   /* reserved opcodes and fields */
void attack_random(struct frame *f);     /* random words */
void attack_tlb(struct frame *f);        /* any TLB contents, then an access through them */
void attack_registers(struct frame *f);  /* any SPR and DCR number, read and written */
void attack_hypercall(struct frame *f);  /* any number, any argument */
void attack_page(struct frame *f);       /* the register page (irfm), and what follows from it */
void attack_stores(struct frame *f);     /* stores all over the address space */
void attack_loop(struct frame *f);       /* never yields */

/* Returns whether this word may be executed. Some words end the emulator or the guest as specified, which would end the
 * test without a result. */
bool allowed(u32 w);

#endif
