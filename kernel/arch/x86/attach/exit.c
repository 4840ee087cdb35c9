/* SPDX-License-Identifier: MIT */
/*
 * exit.c - why Linux left guest mode, decoded and answered at once: there is nobody to schedule on its CPUs.
 * GIF is clear, so this must be short, and every exit ends in Linux again unless the CPU is given or leaves.
 */
#include <arch/apic.h>
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/trap.h>
#include <arch/vcpu.h>
#include <attach/upcalls.h>
#include <board/linux.h>
#include <core/log.h>
#include <errors.h>

#include "linux_cpu.h"
#include "apic.h"
#include "msr.h"
#include "port.h"

#define SVR_ENABLE 0x100u

static bool call(struct linux_cpu *l)
{
    struct vmcb *b = l->vmcb;
    bool leave = false;
    if (b->cpl) {
        vmcb_raise(b, VEC_UD, false);
        return false;
    }
    vcpu_skip(b, 3);
    b->rax = (u64)attach_call(l, b->rax, l->page->regs[RDI], l->page->regs[RSI], &leave);
    return leave;
}

/*
 * The only accesses that fault are writes to a hole, while something is given writes to its local APIC and to pages
 * with registers that end the machine (attach/npt.c), and addresses beyond the machine's. Whoever tried what he must
 * not gets #GP: an instruction that cannot be finished must not be tried for ever.
 */
static void fault(struct linux_cpu *l, struct vmcb *b)
{
    if (b->exit_info2 - ALIGN_DOWN(machine.lapic, MIB) < MIB) {
        if (attach_apic_store(l, b->exit_info1, b->exit_info2))
            return;
        attach_refuse(l, "send an interrupt by", b->exit_info2);
    } else if (attach_is_power_page(b->exit_info2)) {
        if (attach_power_store(l, b->exit_info1, b->exit_info2))
            return;
        attach_refuse(l, "sleep or reset the machine by", b->exit_info2);
    } else {
        attach_refuse(l, b->exit_info1 & NPF_WRITE ? "write to" : "reach", b->exit_info2);
    }
    vmcb_raise(b, VEC_GP, true);
}

/* The idle instruction that Linux does not expect to return from is the one behind the local APIC's end; others are its
 * idle loop's. */
static bool is_last(void) { return !(apic_read(APIC_SVR) & SVR_ENABLE); }

static void idle(struct linux_cpu *l, unsigned length)
{
    vcpu_skip(l->vmcb, length);
    if (is_last())
        core_take(l);
}

/* A CPU that goes down idles by reading a port. The last read is not done: the CPU would sleep here. */
static void port(struct linux_cpu *l, struct vmcb *b)
{
    if (l->state == ATTACH_CPU_DYING && b->exit_info1 & IOIO_IN && is_last())
        core_take(l);
    if (!attach_port(l))
        vmcb_raise(b, VEC_GP, true);
}

/* Linux fell over, or brought itself where it must not go on. */
static __noreturn void reset(void)
{
    if (attach_guarded())
        attach_scrub();
    board_reset();
}

static void decode(struct linux_cpu *l, struct vmcb *b, bool *leave)
{
    switch (b->exit_code) {
    case VMEXIT_VMMCALL: *leave = call(l); break;
    case VMEXIT_MSR:
        if (attach_msr(l, b->exit_info1 & MSR_WRITTEN))
            vcpu_skip(b, 2);
        else
            vmcb_raise(b, VEC_GP, true);
        break;
    case VMEXIT_NPF: fault(l, b); break;
    case VMEXIT_EXCEPTION + VEC_SX: break; /* an INIT (attach/enter.c) */
    case VMEXIT_HLT: idle(l, 1); break;
    case VMEXIT_MWAIT: idle(l, 3); break;
    case VMEXIT_IOIO: port(l, b); break;
    case VMEXIT_INVD: /* nothing is lost by writing back first */
        wbinvd();
        vcpu_skip(b, 2);
        break;
    case VMEXIT_STGI:
        vcpu_skip(b, 3);
        break; /* Linux' way down sees SVME in EFER (attach/msr.c) and makes sure: GIF is set */
    case VMEXIT_INVLPGA:
    case VMEXIT_VMRUN:
    case VMEXIT_VMLOAD:
    case VMEXIT_VMSAVE:
    case VMEXIT_CLGI:
    case VMEXIT_SKINIT: vmcb_raise(b, VEC_UD, false); break; /* not Linux's */
    case VMEXIT_SHUTDOWN: /* a triple fault ends the machine, as it would without us */ reset();
    default:
        if ((u32)b->exit_code != VMEXIT_INVALID_32)
            panic("Linux left by an exit that nobody asked for: %llx at rip %llx", b->exit_code, b->rip);
        if (attach_guarded()) /* not the first: Linux brought itself there, and bare it could reach what is given */
            reset();
        b->rax = (u64)-EINVAL; /* the first VMRUN: its state is untouched */
        WRITE_ONCE(l->state, ATTACH_CPU_BARE);
        *leave = true;
    }
}

bool attach_exit(void)
{
    struct linux_cpu *l = this_linux_cpu();
    struct vmcb *b = l->vmcb;
    bool leave = false;
    l->exits++;
    b->tlb_control = 0;
    b->event_inject = 0;
    b->clean = 0;
    decode(l, b, &leave);
    if (leave)
        attach_end(l);
    return leave;
}
