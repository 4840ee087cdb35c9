/* SPDX-License-Identifier: MIT */
/*
 * layout.h - what of ours lies in each address space of a guest: four pages at the beginning of the last 4 MiB. C and
 * assembly read this.
 *
 *   code        all guests have the same one, and the kernel has it at this address, too: it is there when CR3 changes
 *   state       read-only: descriptors, and where the kernel goes on (struct para_state)
 *   registers   the stack on which the processor enters ring 0: the guest can write it, and nothing in it is believed
 *               that was there before the guest left
 *   shared      words that both write (kernel/api/para.yaml)
 */
#ifndef AMALGAM_X86_PARA_LAYOUT_H
#define AMALGAM_X86_PARA_LAYOUT_H

#define PARA_TOP   0xffc00000
#define PARA_CODE  PARA_TOP
#define PARA_STATE (PARA_TOP + 0x1000)
#define PARA_REGS  (PARA_TOP + 0x2000)
#define PARA_PAGES 4
#define REGS_SIZE  76      /* of struct para_regs, at the end of its page */
#define FLAGS_VM   0x20000 /* virtual 8086 mode */
#define VM_MORE    16 /* bytes that the processor pushes before all else when it leaves that mode: GS, FS, DS, ES */

/* Entries of the descriptor table: 32 of the guest, then ours. */
#define GUEST_DESCRIPTORS 32
#define SEL_PARA_CODE     0x100
#define SEL_PARA_DATA     0x108
#define SEL_PARA_TSS      0x110
#define PARA_DESCRIPTORS  36

/* Offsets in struct para_state, of which the descriptor table is the first member. */
#define STATE_HOST_GDTR   0xfc8 /* the kernel's descriptor and interrupt tables */
#define STATE_HOST_IDTR   0xfd0
#define STATE_LINEAR_GDTR 0xfd8 /* the table at its address in the kernel, where it can be written */
#define STATE_GDTR        0xfe0
#define STATE_IDTR        0xfe8
#define STATE_HOST_ESP    0xff0
#define STATE_HOST_CR3    0xff4
#define STATE_STACK       0xff8 /* where the stack pointer is, twice, when a program has come into ring 1 */

/* Selectors of the kernel's own table (arch/percpu.h). */
#define HOST_CODE 0x08
#define HOST_DATA 0x10
#define HOST_CPU  0x18
#define HOST_TSS  0x20

#endif
