/* SPDX-License-Identifier: MIT */
/* refused.h - what the files of this guest share: memory of the first MiB, which code of 16 bits reaches. */
#ifndef REFUSED_H
#define REFUSED_H

#define REAL_CODE 0x8000 /* what legacy.S copies there */
#define TRIED     0x9000 /* the instruction, in modes without long mode */
#define LOW_STACK 0x7000 /* of real and virtual-8086 mode */

/* Modes that legacy_run() knows. */
#define PROTECTED 0
#define SIXTEEN   1
#define VIRTUAL86 2
#define REAL      3

/* Segments of its GDT */
#define CODE64 0x08
#define DATA   0x10
#define CODE32 0x18
#define CODE16 0x20
#define TSS32  0x28

#ifndef __ASSEMBLER__
#include <guest.h>

/* Leave long mode and paging, jump to TRIED in `mode`, and come back with the exception that ends it. Interrupts off.
 */
void legacy_run(unsigned mode);
extern uint32_t legacy_vector, legacy_ip;
#endif

#endif
