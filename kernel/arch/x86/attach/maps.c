/* SPDX-License-Identifier: MIT */
/*
 * maps.c - the permission maps of Linux's CPUs: the ports and MSRs whose accesses exit. All CPUs share them, but CPUs
 * that are going offline use an I/O map with the ports that they idle by.
 */
#include <arch/cpu.h>
#include <attach/upcalls.h>
#include <string.h>

#include "linux_cpu.h"

static u8 msr_map[MSRPM_SIZE] __aligned(4096);
/* For CPUs that are going offline, and for all others. */
static u8 idle_io_map[IOPM_SIZE] __aligned(4096);
static u8 io_map[IOPM_SIZE] __aligned(4096);

static void trap_port(u16 port)
{
    iopm_trap(io_map, port);
    linux_trap_idle_port(port);
}

void linux_trap_idle_port(u16 port) { iopm_trap(idle_io_map, port); }

void linux_trap_idle(struct linux_cpu *l, bool on) { l->vmcb->iopm = virt_to_phys(on ? idle_io_map : io_map); }

/* When it is switched off no CPU is going offline, because nothing is given. */
void linux_trap_ports(bool on)
{
    memset(io_map, 0, sizeof(io_map));
    memset(idle_io_map, 0, sizeof(idle_io_map));
    if (on)
        attach_power_ports(trap_port);
}

__init_text void linux_trap_msr(u32 msr) { msrpm_trap(msr_map, msr, MSRPM_WRITE); }

void linux_trap_icr(bool on)
{
    u8 *at = &msr_map[MSRPM_SLOT(MSR_X2APIC_ICR) / 4], bits = MSRPM_BITS(MSR_X2APIC_ICR, MSRPM_WRITE);
    *at = (u8)((*at & ~bits) | (on ? bits : 0));
}

__init_text void linux_maps(struct vmcb *b)
{
    msrpm_trap(msr_map, MSR_EFER, MSRPM_READ | MSRPM_WRITE);
    msrpm_trap(msr_map, MSR_VM_CR, MSRPM_READ | MSRPM_WRITE);
    msrpm_trap(msr_map, MSR_VM_HSAVE_PA, MSRPM_READ | MSRPM_WRITE);
    linux_trap_msr(MSR_APIC_BASE);
    b->msrpm = virt_to_phys(msr_map);
    b->iopm = virt_to_phys(io_map);
}
