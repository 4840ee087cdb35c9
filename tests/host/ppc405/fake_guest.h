/* SPDX-License-Identifier: MIT */
/* A ppc405 guest and what is around its devices, for unit tests; each test links the devices that it means. */
#ifndef FAKE_GUEST_H
#define FAKE_GUEST_H

#include "dev.h"
#include <board/console.h>
#include <board/irq.h>

#define guest (&vm_records[0].vm)
#define regs  (vm_records[0].regs)

extern struct {
    u32 events, event, code, pc; /* partition_event(): how many, the last, where the guest's pc was */
    u32 knocks, alarms;
    u32 bells, bell;    /* tunnel_bell(): how many, the last address; only BELL_GPA(3) may be rung */
    u8 out[64], id[64]; /* console_write() */
    u32 n_out;
    u8 line_in[64]; /* of UART0 */
    u32 n_in;
    u8 line_out[512];
    u32 n_line;
    bool busy; /* the transmitter is not empty; without console.c: the console has no room */
    u32 looks; /* reads of LSR */
    u8 ier;
} fake;

/* A guest as after devices_reset(); cmocka's set up. */
int fake_guest_setup(void **state);

#endif
