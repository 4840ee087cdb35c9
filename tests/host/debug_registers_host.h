/* SPDX-License-Identifier: MIT */
/* debug_registers_host.h - the debug registers are words, and at each look at DR0-3 another core does something. */
#ifndef AMALGAM_TESTS_DEBUG_REGISTERS_HOST_H
#define AMALGAM_TESTS_DEBUG_REGISTERS_HOST_H
#define AMALGAM_ARCH_X86_DEBUG_REGISTERS_H /* instead of arch/debug_registers.h */

#include <types.h>

extern u64 host_dr[4], host_dr6;
extern void (*host_reading_dr)(void); /* NULL: nothing */

static inline u64 read_dr6(void) { return host_dr6; }
static inline void write_dr6(u64 value) { host_dr6 = value; }
static inline void read_dr0_3(u64 dr[4])
{
    for (unsigned i = 0; i < 4; i++)
        dr[i] = host_dr[i];
    if (host_reading_dr)
        host_reading_dr();
}
static inline void write_dr0_3(const u64 dr[4])
{
    for (unsigned i = 0; i < 4; i++)
        host_dr[i] = dr[i];
}

#endif
