/* SPDX-License-Identifier: MIT */
#ifndef AMALGAM_ATTACH_APIC_H
#define AMALGAM_ATTACH_APIC_H

#include <arch/attach.h>

/* A write of Linux' kernel to the addresses of interrupts that its nested tables do not let pass: done, or refused.
 * `flags` is the fault's (15.25.6). False: #GP. */
bool attach_apic_store(struct linux_cpu *l, u64 flags, paddr_t at);
/* WRMSR to the interrupt command register of x2APIC, and to APIC_BASE. False: #GP. */
bool attach_apic_command(struct linux_cpu *l, u64 value);
bool attach_apic_base(u64 value);

/* attach_fetch.c: up to 15 bytes at Linux's RIP, in long mode; how many there are. */
unsigned linux_fetch(struct linux_cpu *l, u8 *code);

#endif
