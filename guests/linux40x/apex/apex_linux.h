/* SPDX-License-Identifier: MIT */
/*
 * apex_linux.h - ARINC 653 ports for programs of an unmodified Linux on the 405.
 *
 * The device tree that the tools make describes each channel of the domain (docs/system-file.md); Linux' UIO driver
 * shows it as /dev/uioN: its memory, and the peer's ring as an interrupt that a read waits for. The ports themselves
 * are those of the other guests (guests/ppc405/apex): include <apex.h> for their calls. A program
 * rings the peer by a store to the device's second page, since a hypercall is its kernel's privilege.
 */
#ifndef APEX_LINUX_H
#define APEX_LINUX_H

#include <apex.h>

/*
 * Open every channel that is a sampling or queuing port of this domain; the port has the channel's name. Returns how
 * many there are, or -1 with a line on stderr. Ports are then created as APEX has it.
 */
int apex_linux_begin(void);
/* As the device tree has it; NULL: no such port. */
const struct apex_port *apex_linux_port(const char *name);
/* Rings of the peer that a wait of this program has seen. */
unsigned apex_linux_rings(void);

#endif
