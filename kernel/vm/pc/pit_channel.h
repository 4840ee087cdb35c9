/* SPDX-License-Identifier: MIT */
/* pit_channel.h - the arithmetic of a PIT channel; times are PIT time, in periods of PIT_HZ since the host's start. */
#ifndef AMALGAM_VM_PC_PIT_CHANNEL_H
#define AMALGAM_VM_PC_PIT_CHANNEL_H

#include "pc_devices.h"

#define PIT_HZ    1193182ul
#define PIT_NEVER ((u64)-1)

/* Bits of a control word and of the status byte. */
enum { PIT_BCD = 1, PIT_NULL_COUNT = 0x40 /* none was loaded since the mode was set */ };

/* What it counts modulo. */
static inline u32 pit_range(const struct pit_channel *c) { return c->control & PIT_BCD ? 10000 : 65536; }
/* Counts since the load, pauses of the gate left out. */
u64 pit_elapsed(const struct pit_channel *c, u64 now);
/* The level of the output. */
bool pit_output(const struct pit_channel *c, u64 now);
/* What the counter reads, in BCD if the mode says so. */
u16 pit_counter(const struct pit_channel *c, u64 now);
/* The first rising edge of the output after `now`, or PIT_NEVER. */
u64 pit_next_edge(const struct pit_channel *c, u64 now);

#endif
