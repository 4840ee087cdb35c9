/* SPDX-License-Identifier: MIT */
/*
 * core.c - makes a CPU that Linux gives up a core of the kernel. attach/core_back.c is the way back.
 *
 * Linux sets the CPU offline as usual. A call before tells the kernel that the CPU's last idle instruction gives it to
 * the kernel. There it becomes a core as on any board: our tables, APIC, timer, core_join(), core_start().
 */
#include <arch/apic.h>
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/features.h>
#include <arch/trap.h>
#include <core/cores.h>
#include <core/log.h>
#include <errors.h>
#include <hal/context.h>
#include <hal/upcalls.h>
#include <string.h>

#include "linux_cpu.h"

int core_prepare(struct linux_cpu *l, u16 port, u16 other)
{
    WRITE_ONCE(l->state, ATTACH_CPU_DYING);
    l->vmcb->intercept1 |= INT1_HLT;
    l->vmcb->intercept2 |= INT2_MWAIT;
    if (port)
        linux_trap_idle_port(port);
    if (other)
        linux_trap_idle_port(other);
    linux_trap_idle(l, true);
    return 0;
}

static void untrap_idle(struct linux_cpu *l)
{
    l->vmcb->intercept1 &= ~INT1_HLT;
    l->vmcb->intercept2 &= ~INT2_MWAIT;
    linux_trap_idle(l, false);
}

void core_cancel(struct linux_cpu *l)
{
    untrap_idle(l);
    WRITE_ONCE(l->state, ATTACH_CPU_LINUX);
}

/* First function of the core, on its own stack. Other cores may send it interrupts only from core_join() on; those of
 * Linux's time had other vectors. */
static __noreturn void begin(unsigned index)
{
    static bool calibrated;
    struct linux_cpu *l = linux_cpus[index];
    if (!calibrated)
        time_measure();
    calibrated = true;
    time_init_cpu();
    core_clock_compare(l, READ_ONCE(cpus[0]));
    int number = core_join(&l->core);
    if (number < 0)
        panic("CPU %u has no number as a core: %d", index, number);
    l->number = (unsigned)number;
    WRITE_ONCE(l->state, ATTACH_CPU_CORE);
    mp_fence(); /* either this core sees cores_ending(), or cores_stop() sees this core */
    if (cores_ending())
        core_stop_here();
    core_start(l->number);
}

/*
 * Set what programs outside the kernel would notice of Linux, which has set these registers: as on other boards they
 * cannot set FS and GS, use protection keys, read performance counters or have alignment checked. (VMRUN's host state
 * has zeros in the registers of SYSCALL.) CR4 is kept for the way back: the trampoline loads Linux's CR3 under it.
 */
static void forget_linux(struct linux_cpu *l)
{
    l->linux_cr4 = read_cr4();
    write_cr4(l->linux_cr4 & (CR4_PAE | CR4_MCE | CR4_LA57));
    write_cr0(read_cr0() & ~CR0_AM);
    if (cpuid(0x80000001, 0).edx & X86_FEATURE_RDTSCP)
        wrmsr(MSR_TSC_AUX, 0);
}

void core_take(struct linux_cpu *l)
{
    struct arch_cpu *a = &l->core.arch;
    untrap_idle(l);
    a->apic_id = l->apic_id;
    a->deadline = 0;
    a->host_save = a->host_vmcb = 0;
    a->tss.rsp[0] = 0; /* the registers of SYSCALL are Linux's again, or zero */
    memset(&a->amdv, 0, sizeof(a->amdv));
    forget_linux(l);
    traps_init(&l->core);
    core_reset();
    paging_enable_cpu();
    apic_enable();
    if (!apic_is_x2())
        apic_write(APIC_LDR, 0); /* Linux uses the logical destinations for other CPUs */
    fpu_init_cpu();
    __asm__ volatile("stgi");
    call_on_stack(begin, l->index, (char *)l->core_stack + HAL_STACK_SIZE);
}

unsigned cores_given(void)
{
    unsigned n = 0;
    for (unsigned i = 0; i < n_linux_cpus; i++)
        n += READ_ONCE(linux_cpus[i]->state) >= ATTACH_CPU_DYING; /* and all later states */
    return n;
}

/* LEAVING is set first, because after core_leave() the core may be gone at any time. */
int core_ask_back(struct linux_cpu *l)
{
    if (READ_ONCE(l->state) != ATTACH_CPU_CORE)
        return l->state == ATTACH_CPU_LEAVING ? 0 : -ENODEV;
    WRITE_ONCE(l->state, ATTACH_CPU_LEAVING);
    int err = core_leave(l->number);
    if (err)
        WRITE_ONCE(l->state, ATTACH_CPU_CORE);
    return err;
}
