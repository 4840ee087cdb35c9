/* SPDX-License-Identifier: MIT */
/* pit_channel.h - arithmetic of a PIT channel. PIT time is in periods of PIT_HZ since the host's start. */
#ifndef AMALGAM_VM_DEVICES_PIT_CHANNEL_H
#define AMALGAM_VM_DEVICES_PIT_CHANNEL_H

#include "pc_devices.h"

#define PIT_HZ         1193182ul
#define PIT_NEVER      ((u64)-1)
#define PIT_MIN_PERIOD (PIT_HZ / 10000) /* 100 us: shorter periods are stretched to it */

/* Bits of a control word and of the status byte. */
enum { PIT_BCD = 1, PIT_NULL_COUNT = 0x40 /* no count was loaded since the mode was set */ };

/* Returns the counter's modulus. */
static inline u32 pit_range(const struct pit_channel *c) { return c->control & PIT_BCD ? 10000 : 65536; }
/* Returns the counts since the load, without pauses by the gate. */
u64 pit_elapsed(const struct pit_channel *c, u64 now);
/* Returns the level of the output. */
bool pit_output(const struct pit_channel *c, u64 now);
/* Returns the counter's value, in BCD if the mode says so. */
u16 pit_counter(const struct pit_channel *c, u64 now);
/* Returns the time of the first rising edge of the output after `now`, or PIT_NEVER. */
u64 pit_next_edge(const struct pit_channel *c, u64 now);

#endif
