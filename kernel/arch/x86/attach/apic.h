/* SPDX-License-Identifier: MIT */
#ifndef AMALGAM_ATTACH_APIC_H
#define AMALGAM_ATTACH_APIC_H

#include <arch/decode.h>

#include "linux_cpu.h"

/* Do or refuse a write of Linux' kernel to the addresses of interrupts, which its nested tables map read-only.
 * `flags` is EXITINFO1 of the fault (15.25.6). Returns false: the caller raises #GP. */
bool attach_apic_store(struct linux_cpu *l, u64 flags, paddr_t at);
/* Do or refuse a WRMSR to the interrupt command register of x2APIC, and to APIC_BASE. Return false: the caller raises
 * #GP. */
bool attach_apic_command(struct linux_cpu *l, u64 value);
bool attach_apic_base(u64 value);

/* attach/fetch.c: read up to 15 bytes at Linux's RIP, in long mode. Returns their number. */
unsigned linux_fetch(struct linux_cpu *l, u8 *code);
/* Decode that instruction. Returns false unless Linux's kernel executes it in 64-bit code and the decoder knows it. */
bool linux_decode(struct linux_cpu *l, struct insn *i);
/* Return a pointer to its register operand, all 64 bits. */
u64 *linux_operand(struct linux_cpu *l, const struct insn *i);
/* The instruction was emulated: continue at `rip`, with a single-step trap if Linux wants one. */
void linux_retire(struct vmcb *b, u64 rip);
/* Map a page of physical memory with these flags in the CPU's window. Returns the address of `pa` in it. */
void *linux_window(struct linux_cpu *l, paddr_t pa, u64 flags);

#endif
