/* SPDX-License-Identifier: MIT */
/*
 * apex_linux.h - ARINC 653 ports for programs of an unmodified Linux on the 405.
 *
 * The device tree that the tools make describes each channel of the domain (docs/system-file.md). Linux's UIO driver
 * offers it as /dev/uioN: its memory, and the peer's ring as an interrupt for which a read waits. The ports themselves
 * are those of the other guests (guests/ppc405/apex): include <apex.h> for their calls. A program rings the peer by a
 * store to the device's second page, because only its kernel may make a hypercall.
 */
#ifndef APEX_LINUX_H
#define APEX_LINUX_H

#include <apex.h>

/*
 * Open every channel that is a sampling or queuing port of this domain; the port has the channel's name. Returns how
 * many there are, or -1 after a line on stderr. Ports are then created by APEX's calls.
 */
int apex_linux_begin(void);
/* Returns the port's configuration from the device tree; NULL: there is no such port. */
const struct apex_port *apex_linux_port(const char *name);
/* Returns how many rings of the peer this program has waited for and got. */
unsigned apex_linux_rings(void);

#endif
