/* SPDX-License-Identifier: MIT */
/* apic.c - the physical local APIC, and of the I/O APICs what a console interrupt needs. */
#include <arch/apic.h>
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/direct.h>
#include <arch/trap.h>
#include <core/cpu.h>
#include <core/log.h>
#include <errors.h>
#include <hal/cpu.h>
#include <hal/memory.h>

#define APIC_BASE_ENABLE (1ul << 11)
#define APIC_BASE_X2     (1ul << 10)
#define ICR_PENDING      (1u << 12)
#define ICR_NMI          (4u << 8)

__init_text void apic_setup(bool x2apic)
{
    if (APIC_HAS_X2 && x2apic)
        return;
    apic_registers = hal_map_device(machine.lapic, PAGE_SIZE);
    if (!apic_registers)
        panic("apic: cannot map the registers at %llx", machine.lapic);
}

__init_text void apic_enable(void)
{
    if (apic_has_base())
        wrmsr(MSR_APIC_BASE, rdmsr(MSR_APIC_BASE) | APIC_BASE_ENABLE | (apic_is_x2() ? APIC_BASE_X2 : 0));
    apic_write(APIC_TPR, 0);
    apic_write(APIC_LVT_LINT0, LVT_MASKED); /* no 8259 is connected */
    apic_write(APIC_SVR, 0x100 | VEC_SPURIOUS);
}

__init_text u32 apic_id(void) { return apic_is_x2() ? apic_read(APIC_ID) : apic_read(APIC_ID) >> 24; }

bool apic_in_service(unsigned vector) { return apic_read(APIC_ISR + vector / 32) >> vector % 32 & 1; }

void apic_icr(u32 dest, u32 command)
{
    if (APIC_HAS_X2 && !apic_registers) {
        mp_fence(); /* WRMSR to x2APIC registers does not order earlier stores */
        wrmsr(0x800 + APIC_ICR, (u64)dest << 32 | command);
        return;
    }
    unsigned long flags = irq_save(); /* two registers: an interrupt between the writes must not use them */
    while (apic_read(APIC_ICR) & ICR_PENDING)
        cpu_relax();
    apic_write(APIC_ICR_HIGH, dest << 24);
    apic_write(APIC_ICR, command);
    irq_restore(flags);
}

bool cpus_stopping; /* traps.c: an NMI now means halt */

void apic_stop_others(void)
{
    WRITE_ONCE(cpus_stopping, true);
    for (unsigned i = 0; i < n_cpus; i++) {
        const struct cpu *c = READ_ONCE(cpus[i]); /* NULL, also from now on: it has left */
        if (c && c != this_cpu()) /* one by one: the shorthand "all others" could reach CPUs that are not ours */
            apic_icr(c->arch.apic_id, ICR_NMI);
    }
}

static u32 ioapic_read(volatile u32 *io, u32 reg)
{
    io[0] = reg;
    return io[4];
}

static void ioapic_write(volatile u32 *io, u32 reg, u32 v)
{
    io[0] = reg;
    io[4] = v;
}

__init_text int ioapic_route(unsigned irq, unsigned vector)
{
    u32 gsi = machine_isa_gsi(irq);
    for (unsigned i = 0; i < machine.n_ioapics; i++) {
        u32 base = machine.ioapic[i].gsi_base;
        volatile u32 *io = gsi < base ? NULL : hal_map_device(machine.ioapic[i].base, PAGE_SIZE);
        if (!io || gsi - base > (ioapic_read(io, 1) >> 16 & 0xff))
            continue;
        ioapic_write(io, 0x11 + 2 * (gsi - base), cpus[0]->arch.apic_id << 24);
        ioapic_write(io, 0x10 + 2 * (gsi - base), vector);
        return 0;
    }
    return -ENODEV;
}
