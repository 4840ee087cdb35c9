/* SPDX-License-Identifier: MIT */
/* arch/port.h (x86) - port accesses with a variable size: 1, 2 or 4 bytes. */
#ifndef AMALGAM_ARCH_PORT_H
#define AMALGAM_ARCH_PORT_H

#include <arch/cpu.h>

static inline u32 port_in(u16 port, unsigned size) { return size == 4 ? inl(port) : size == 2 ? inw(port) : inb(port); }

static inline void port_out(u16 port, unsigned size, u64 value)
{
    if (size == 4)
        outl(port, (u32)value);
    else if (size == 2)
        outw(port, (u16)value);
    else
        outb(port, (u8)value);
}

#endif
