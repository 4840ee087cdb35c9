/* SPDX-License-Identifier: MIT */
#ifndef AMALGAM_ATTACH_APIC_H
#define AMALGAM_ATTACH_APIC_H

#include <arch/decode.h>

#include "linux_cpu.h"

/* A write of Linux' kernel to the addresses of interrupts that its nested tables do not let pass: done, or refused.
 * `flags` is the fault's (15.25.6). False: #GP. */
bool attach_apic_store(struct linux_cpu *l, u64 flags, paddr_t at);
/* WRMSR to the interrupt command register of x2APIC, and to APIC_BASE. False: #GP. */
bool attach_apic_command(struct linux_cpu *l, u64 value);
bool attach_apic_base(u64 value);

/* attach/fetch.c: up to 15 bytes at Linux's RIP, in long mode; how many there are. */
unsigned linux_fetch(struct linux_cpu *l, u8 *code);
/* The instruction there, if Linux's kernel executes it in 64-bit code and it is one that we know. */
bool linux_decode(struct linux_cpu *l, struct insn *i);
/* Its register operand, all 64 bits. */
u64 *linux_operand(struct linux_cpu *l, const struct insn *i);
/* It is done: go on at `rip`. */
void linux_retire(struct vmcb *b, u64 rip);
/* Show a page of physical memory with these flags in the CPU's window; the address of `pa` there. */
void *linux_window(struct linux_cpu *l, paddr_t pa, u64 flags);

#endif
