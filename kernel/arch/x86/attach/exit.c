/* SPDX-License-Identifier: MIT */
/*
 * exit.c - decodes and handles Linux's exits. There is no thread to schedule on its CPUs, and GIF is clear, so this
 * must be short. Each exit ends in Linux again unless the CPU is given or leaves.
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

/* Step over an intercepted instruction of `length` bytes. */
static __cold void linux_skip(struct vmcb *b, unsigned length)
{
    vmcb_advance(b, length);
    linux_retire(b, b->rip);
}

static bool call(struct linux_cpu *l)
{
    struct vmcb *b = l->vmcb;
    bool leave = false;
    if (b->cpl) {
        vmcb_raise(b, VEC_UD, false);
        return false;
    }
    linux_skip(b, 3);
    b->rax = (u64)attach_call(l, b->rax, l->page->regs[RDI], l->page->regs[RSI], &leave);
    return leave;
}

/*
 * Handle a nested page fault: a write to a hidden range; while something is given, a write to the local APIC or to
 * pages with registers that end the machine (attach/npt.c); an address beyond the machine's. A refused access gets #GP,
 * because an instruction that cannot finish must not be repeated for ever.
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

/* Returns whether this is the CPU's last idle instruction: Linux has disabled its local APIC. Others are in the idle
 * loop. */
static bool is_last(void) { return !(apic_read(APIC_SVR) & SVR_ENABLE); }

static void idle(struct linux_cpu *l, unsigned length)
{
    linux_skip(l->vmcb, length);
    if (is_last())
        core_take(l);
}

/* Handle a port access. A CPU that is going offline may idle by reading a port; the last read is not done, because
 * the CPU would sleep here. */
static void port(struct linux_cpu *l, struct vmcb *b)
{
    if (l->state == ATTACH_CPU_DYING && b->exit_info1 & IOIO_IN && is_last())
        core_take(l);
    if (!attach_port(l))
        vmcb_raise(b, VEC_GP, true);
}

/* Linux has crashed, or has reached a state in which it must not continue. */
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
            linux_skip(b, 2);
        else
            vmcb_raise(b, VEC_GP, true);
        break;
    case VMEXIT_NPF: fault(l, b); break;
    case VMEXIT_EXCEPTION + VEC_SX: break; /* an INIT (attach/enter.c): ignored */
    case VMEXIT_HLT: idle(l, 1); break;
    case VMEXIT_MWAIT: idle(l, 3); break;
    case VMEXIT_IOIO: port(l, b); break;
    case VMEXIT_INVD: /* writing back first loses nothing */
        wbinvd();
        linux_skip(b, 2);
        break;
    case VMEXIT_STGI:
        linux_skip(b, 3);
        break; /* GIF is set already; Linux sets it when it shuts a CPU down and finds SVME in EFER (attach/msr.c) */
    case VMEXIT_INVLPGA:
    case VMEXIT_VMRUN:
    case VMEXIT_VMLOAD:
    case VMEXIT_VMSAVE:
    case VMEXIT_CLGI:
    case VMEXIT_SKINIT: vmcb_raise(b, VEC_UD, false); break; /* Linux must not use AMD-V */
    case VMEXIT_SHUTDOWN: /* a triple fault resets the machine, as without this kernel */ reset();
    default:
        if ((u32)b->exit_code != VMEXIT_INVALID_32)
            panic("Linux left by an exit that nobody asked for: %llx at rip %llx", b->exit_code, b->rip);
        /* not the first VMRUN: Linux has caused this, and without this kernel it could reach given memory */
        if (attach_guarded())
            reset();
        b->rax = (u64)-EINVAL; /* the first VMRUN: Linux's state is unchanged */
        WRITE_ONCE(l->state, ATTACH_CPU_BARE);
        *leave = true;
    }
}

bool attach_exit(void)
{
    struct linux_cpu *l = this_linux_cpu();
    struct vmcb *b = l->vmcb;
    bool leave = false;
    if (READ_ONCE(linux_barrier))
        wrmsr(MSR_PRED_CMD, PRED_CMD_IBPB);
    l->exits++;
    b->tlb_control = 0;
    b->event_inject = 0;
    b->clean = 0;
    decode(l, b, &leave);
    if (leave)
        attach_end(l);
    return leave;
}
