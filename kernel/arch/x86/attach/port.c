/* SPDX-License-Identifier: MIT */
/*
 * port.c - port accesses of Linux that exit: on a CPU that is going offline, the ports that it idles by; while
 * something is given, ports that make the machine sleep or reset (kernel/attach/power.c). Machines without PM1 have
 * such registers in memory: their pages are then read-only for Linux, and each store is decoded and done here.
 *
 * String instructions and unaligned stores are refused, whatever they write, because no driver writes these registers
 * so.
 */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/port.h>
#include <arch/vcpu.h>
#include <attach/upcalls.h>
#include <board/linux.h>
#include <hal/cpu.h>
#include <hal/time.h>

#include "apic.h"
#include "port.h"

#define RESET_NS 100000000 /* a reset that has not happened by then will not */

/* A write by Linux. */
struct store {
    unsigned space, size;
    u64 at, value;
};

static void do_memory(volatile void *to, unsigned size, u64 value)
{
    if (size == 1)
        *(volatile u8 *)to = (u8)value;
    else if (size == 2)
        *(volatile u16 *)to = (u16)value;
    else if (size == 4)
        *(volatile u32 *)to = (u32)value;
    else
        *(volatile u64 *)to = value;
}

static void do_store(struct linux_cpu *l, const struct store *s)
{
    if (s->space == ATTACH_IN_MEMORY)
        do_memory(linux_window(l, s->at, PTE_W | PTE_PCD | PTE_PWT), s->size, s->value);
    else
        port_out((u16)s->at, s->size, s->value);
}

/* Do Linux's write, which resets the machine or powers it off; if it does not, do it ourselves. */
static __noreturn void end(struct linux_cpu *l, const struct store *s, bool off)
{
    attach_scrub();
    do_store(l, s);
    if (off) {
        attach_power_off(outb);
        hal_halt();
    }
    for (ticks_t until = time_after(RESET_NS); time_now() < until;)
        cpu_relax();
    board_reset();
}

/* Do a write. Returns false if it is refused. */
static bool store(struct linux_cpu *l, const struct store *s)
{
    enum attach_power_write what = POWER_NOTHING;
    if (attach_guarded()) /* otherwise the CPU still uses an older map */
        what = attach_power_write(s->space, s->at, s->size, s->value);
    if (what == POWER_RESET || what == POWER_OFF)
        end(l, s, what == POWER_OFF);
    if (what == POWER_NOTHING)
        do_store(l, s);
    return what == POWER_NOTHING;
}

bool attach_port(struct linux_cpu *l)
{
    struct vmcb *b = l->vmcb;
    u32 info = (u32)b->exit_info1;
    struct store s = { ATTACH_IN_PORTS, ioio_size(info), ioio_port(info), b->rax };
    bool done = !(info & IOIO_STRING);
    if (done && info & IOIO_IN)
        b->rax = rax_with(b->rax, port_in((u16)s.at, s.size), s.size);
    else if (done)
        done = store(l, &s);
    if (done)
        linux_retire(b, b->exit_info2);
    else
        attach_refuse(l, "sleep or reset the machine by port", s.at);
    return done;
}

bool attach_is_power_page(paddr_t at)
{
    for (unsigned n = 0; attach_power_page(n); n++)
        if (attach_power_page(n) == ALIGN_DOWN(at, PAGE_SIZE))
            return true;
    return false;
}

bool attach_power_store(struct linux_cpu *l, u64 flags, paddr_t at)
{
    struct insn i;
    if ((flags & (NPF_WRITE | NPF_FINAL)) != (NPF_WRITE | NPF_FINAL) || !linux_decode(l, &i) || i.op != INSN_MOV ||
        i.to_reg || !IS_ALIGNED(at, i.size))
        return false;
    u64 value = i.has_imm ? i.imm : *linux_operand(l, &i) >> (i.high_byte ? 8 : 0);
    struct store s = { ATTACH_IN_MEMORY, i.size, at, value };
    if (!store(l, &s))
        return false;
    linux_retire(l->vmcb, l->vmcb->rip + i.length);
    return true;
}
