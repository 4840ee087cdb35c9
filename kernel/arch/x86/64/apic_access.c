/* SPDX-License-Identifier: MIT */
/* apic_access.c (64 bits) - see arch/apic_access.h. */
#include <arch/apic.h>
#include <arch/cpu.h>

bool apic_is_x2(void) { return !apic_registers; }

u32 apic_read(enum apic_reg r) { return apic_registers ? apic_registers[r * 4] : (u32)rdmsr(0x800 + r); }

void apic_write(enum apic_reg r, u32 v)
{
    if (apic_registers)
        apic_registers[r * 4] = v;
    else
        wrmsr(0x800 + r, v);
}
