/* SPDX-License-Identifier: MIT */
/*
 * arch/emulate_hash.h - two perfect hashes, by which the fast paths find a handler.
 *
 * The tables (emulate_tables.c) are filled at the index that the hash gives for each key. Two keys with the same index
 * do not compile (-Woverride-init). Every hit is verified by comparing the whole key.
 *
 * The key of the first table is the opcode with the extended opcode and the Rc bit. The key of the second is the number
 * of the special purpose register as the instruction holds it, with its halves swapped.
 */
#ifndef AMALGAM_ARCH_EMULATE_HASH_H
#define AMALGAM_ARCH_EMULATE_HASH_H

#define OP_MASK  0xfc0007ff
#define OP_MUL   17
#define OP_SHIFT 9
#define OP_BITS  3

#define OP_RFI    0x4c000064
#define OP_RFCI   0x4c000066
#define OP_MFMSR  0x7c0000a6
#define OP_MTMSR  0x7c000124
#define OP_WRTEE  0x7c000106
#define OP_WRTEEI 0x7c000146
#define OP_MFSPR  0x7c0002a6
#define OP_MTSPR  0x7c0003a6

#define SPR_MUL   45
#define SPR_SHIFT 3
#define SPR_BITS  6

/* An entry of the second table holds the key at its place in the instruction, a flag, the write handler and the byte
 * offset in the register page. */
#define SPR_ENTRY_SPECIAL 0x80000000 /* a write does more than to store the value */

#endif
