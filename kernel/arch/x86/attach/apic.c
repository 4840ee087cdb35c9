/* SPDX-License-Identifier: MIT */
/*
 * apic.c - checks the interrupts that Linux sends to CPUs by its local APIC while something is given
 * (kernel/attach/guard.c).
 *
 * An INIT and a start-up interrupt restart a CPU without this kernel beneath it. So they only reach a CPU that Linux
 * has got back and that waits in the kernel for them (attach/core_back.c). Other interrupts go to Linux's CPUs: one for
 * a given CPU is refused, one for all is sent to each of Linux's CPUs. Given CPUs have no logical address
 * (core_take()), so with xAPIC logical destinations pass; x2APIC's logical addresses follow from the identifier and are
 * compared.
 *
 * With x2APIC the command is an MSR whose writes exit. With xAPIC its page and the megabyte around it, where writes
 * become interrupt messages, are read-only for Linux; each write to a register is decoded and done here. The base
 * register cannot be changed.
 */
#include <arch/apic.h>
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/decode.h>
#include <arch/vcpu.h>
#include <attach/upcalls.h>

#include "apic.h"

#define BASE_BSP (1ul << 8)

enum mode { FIXED, LOWEST, SMI, READ, NMI, INIT, STARTUP };
enum shorthand { TO_ONE, TO_SELF, TO_ALL, TO_OTHERS };
#define LOGICAL   (1u << 11)
#define ASSERT    (1u << 14)
#define LEVEL     (1u << 15)
#define SHORTHAND (3u << 18)
#define PENDING   (1u << 12)  /* read-only, and absent in x2APIC mode */
#define RESERVED  0xfff32000u /* in x2APIC mode a bit set here is a #GP (16.13) */

/* Send to each of Linux's CPUs, one by one. ICR_HIGH is restored, because Linux may read it back. */
static bool send_all(const struct linux_cpu *self, u32 command)
{
    u32 high = apic_is_x2() ? 0 : apic_read(APIC_ICR_HIGH);
    if ((command >> 8 & 7) == LOWEST)
        return false;
    for (unsigned i = 0; i < n_linux_cpus; i++)
        if (linux_cpu_runs(linux_cpus[i]) && (linux_cpus[i] != self || (command & SHORTHAND) >> 18 != TO_OTHERS))
            apic_icr(linux_cpus[i]->apic_id, command & ~(SHORTHAND | LOGICAL));
    if (!apic_is_x2())
        apic_write(APIC_ICR_HIGH, high);
    return true;
}

/* Handle INIT and start-up. A running CPU ignores a start-up interrupt, and Linux sends two. */
static bool attach_apic_start(u32 dest, u32 command)
{
    if ((command & (LEVEL | ASSERT)) == LEVEL)
        return true; /* INIT level de-assert, without effect since the Pentium 4 */
    struct linux_cpu *other = command & (SHORTHAND | LOGICAL) ? NULL : linux_cpu_find(dest);
    bool startup = (command >> 8 & 7) == STARTUP;
    if (!other)
        return false;
    if (READ_ONCE(other->state) == ATTACH_CPU_PARKED) {
        if (startup)
            WRITE_ONCE(other->startup, CORE_STARTUP | (command & 0xff));
        return true;
    }
    return startup && linux_cpu_runs(other);
}

/* Returns whether a logical x2APIC destination includes CPUs that do not run Linux: upper bits are the cluster, the
 * lower four the place in it (16.14). */
static bool reaches_others(u32 dest)
{
    for (unsigned i = 0; i < n_linux_cpus; i++) {
        u32 id = linux_cpus[i]->apic_id;
        if (!linux_cpu_runs(linux_cpus[i]) && id >> 4 == dest >> 16 && dest >> (id & 15) & 1)
            return true;
    }
    return false;
}

static bool send_one(const struct linux_cpu *self, u32 dest, u32 command)
{
    if (dest == (apic_is_x2() ? ~0u : 0xff))
        return send_all(self, command);
    const struct linux_cpu *other = command & LOGICAL ? self : linux_cpu_find(dest);
    if (!other || !linux_cpu_runs(other) || (command & LOGICAL && apic_is_x2() && reaches_others(dest)))
        return false;
    apic_icr(dest, command);
    return true;
}

static bool command(const struct linux_cpu *self, u32 dest, u32 what)
{
    enum mode mode = what >> 8 & 7;
    if (mode == INIT || mode == STARTUP)
        return attach_apic_start(dest, what);
    if (mode != FIXED && mode != LOWEST && mode != NMI)
        return false;
    switch ((what & SHORTHAND) >> 18) {
    case TO_ONE: return send_one(self, dest, what);
    case TO_SELF: apic_icr(dest, what); return true;
    default: return send_all(self, what);
    }
}

bool attach_apic_command(struct linux_cpu *l, u64 value)
{
    if (value & RESERVED)
        return false;
    value &= ~(u64)PENDING;
    if (attach_guarded())
        return command(l, (u32)(value >> 32), (u32)value);
    apic_icr((u32)(value >> 32), (u32)value); /* the CPU still uses an older permission map */
    return true;
}

bool attach_apic_base(u64 value) { return !((value ^ rdmsr(MSR_APIC_BASE)) & ~BASE_BSP); }

static bool store(struct linux_cpu *l, enum apic_reg reg, u32 value)
{
    if (reg == APIC_ICR && attach_guarded())
        return command(l, apic_read(APIC_ICR_HIGH) >> 24, value);
    apic_write(reg, value);
    return true;
}

bool attach_apic_store(struct linux_cpu *l, u64 flags, paddr_t at)
{
    struct insn i;
    u64 offset = at - machine.lapic;
    if ((flags & (NPF_WRITE | NPF_FINAL)) != (NPF_WRITE | NPF_FINAL) || offset >= PAGE_SIZE || !offset || offset & 15 ||
        apic_is_x2() || !linux_decode(l, &i))
        return false;
    bool exchange = i.op == INSN_XCHG;
    if (i.size != 4 || !((i.op == INSN_MOV && !i.to_reg) || exchange))
        return false;
    u32 old = exchange ? apic_read(offset >> 4) : 0;
    if (!store(l, offset >> 4, (u32)(i.has_imm ? i.imm : *linux_operand(l, &i))))
        return false;
    if (exchange)
        *linux_operand(l, &i) = old;
    linux_retire(l->vmcb, l->vmcb->rip + i.length);
    return true;
}
