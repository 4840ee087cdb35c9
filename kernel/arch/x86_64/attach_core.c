/* SPDX-License-Identifier: MIT */
/*
 * attach_core.c - a CPU that Linux gave up becomes a core of the kernel, and Linux's again.
 *
 * Linux takes the CPU down as it does for any reason, told before by a call that this time the last HLT hands it over.
 * There it becomes a core as on any board: our tables, APIC, timer, core_join(), core_start().  When core/ lets it go
 * it takes the place of Linux's guest state again and leaves it by the way that a detach takes: bare, halted where
 * Linux had put it, and Linux's INIT and start-up interrupt bring it up from there.
 */
#include <arch/apic.h>
#include <arch/attach.h>
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/trap.h>
#include <attach/attach.h>
#include <core/cores.h>
#include <core/log.h>
#include <errors.h>
#include <hal/context.h>
#include <hal/upcalls.h>
#include <string.h>

#define LVT_MASKED (1u << 16)

int core_prepare(struct linux_cpu *l)
{
    WRITE_ONCE(l->state, ATTACH_CPU_DYING);
    l->vmcb->intercept1 |= INT1_HLT;
    return 0;
}

void core_cancel(struct linux_cpu *l)
{
    l->vmcb->intercept1 &= ~INT1_HLT;
    WRITE_ONCE(l->state, ATTACH_CPU_LINUX);
}

/* On the core's own stack. Only now may others send it interrupts: those of Linux's time had other vectors. */
static __noreturn void begin(unsigned index)
{
    static bool calibrated;
    struct linux_cpu *l = linux_cpus[index];
    if (!calibrated)
        time_init();
    calibrated = true;
    time_init_cpu();
    int number = core_join(&l->core);
    if (number < 0)
        panic("CPU %u has no number as a core: %d", index, number);
    l->number = (unsigned)number;
    WRITE_ONCE(l->state, ATTACH_CPU_CORE);
    core_start(l->number);
}

void core_take(struct linux_cpu *l)
{
    struct arch_cpu *a = &l->core.arch;
    a->apic_id = l->apic_id;
    a->deadline = 0;
    a->host_save = a->host_vmcb = 0;
    memset(&a->amdv, 0, sizeof(a->amdv));
    paging_enable_cpu();
    traps_init(&l->core);
    apic_enable();
    fpu_init_cpu();
    __asm__ volatile("stgi");
    call_on_stack(begin, l->index, (char *)l->core_stack + HAL_STACK_SIZE);
}

void hal_core_left(void)
{
    struct linux_cpu *l = container_of(this_cpu(), struct linux_cpu, core);
    struct attach_cpu *p = l->page;
    apic_write(APIC_LVT_TIMER, LVT_MASKED);
    apic_write(APIC_SVR, VEC_SPURIOUS); /* off, as Linux left it */
    __asm__ volatile("clgi");
    write_cr4(read_cr4() & ~CR4_PGE);
    wrmsr(MSR_PAT, p->pat);
    wrmsr(MSR_VM_HSAVE_PA, p->hsave_pa);
    __asm__ volatile("lgdt %0; vmload %1" ::"m"(p->host_gdtr.limit), "a"(p->host_vmcb) : "memory");
    attach_end(l);
    WRITE_ONCE(l->state, ATTACH_CPU_PARKED);
    attach_leave(p);
}

bool core_is_running(unsigned core) { return core_present(core); }

unsigned cores_given(void)
{
    unsigned n = 0;
    for (unsigned i = 0; i < n_linux_cpus; i++) {
        u32 state = READ_ONCE(linux_cpus[i]->state);
        n += state == ATTACH_CPU_DYING || state == ATTACH_CPU_CORE || state == ATTACH_CPU_LEAVING;
    }
    return n;
}

/* LEAVING first: from core_leave() on it may be gone at any time. */
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
