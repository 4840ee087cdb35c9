/* SPDX-License-Identifier: MIT */
/*
 * attach_core.c - a CPU that Linux gave up becomes a core of the kernel, and Linux's again.
 *
 * Cores are numbered in the order they came, and a number stays with its record and its idle thread: a core that left
 * is asleep in core_return(), and goes on from there on whatever CPU is given next. So core 0, where the control console
 * lives, is always the first.
 */
#include <arch/apic.h>
#include <arch/attach.h>
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/trap.h>
#include <core/frames.h>
#include <core/log.h>
#include <errors.h>
#include <hal/context.h>
#include <hal/upcalls.h>
#include <string.h>

#define APIC_BASE_ENABLE (1ul << 11)

static struct slot {
    struct linux_cpu *on; /* whose CPU it has or will have; NULL: it is asleep */
    void *stack;          /* where it begins the first time */
    bool started;
    struct context at;
} slots[MAX_CPUS];

static int new_core(unsigned k)
{
    paddr_t pa = frames_alloc(ALIGN_UP(sizeof(struct cpu), PAGE_SIZE) / PAGE_SIZE, PAGE_SIZE);
    if (pa == (paddr_t)-1)
        return -ENOMEM;
    slots[k].stack = hal_stack_alloc();
    if (!slots[k].stack) {
        frames_free(pa, ALIGN_UP(sizeof(struct cpu), PAGE_SIZE) / PAGE_SIZE);
        return -ENOMEM;
    }
    struct cpu *c = memset(phys_to_virt(pa), 0, sizeof(*c));
    c->id = k;
    traps_prepare(c);
    cpus[k] = c;
    return 0;
}

int core_prepare(struct linux_cpu *l)
{
    unsigned k = 0;
    while (k < MAX_CPUS && slots[k].on)
        k++;
    if (k == MAX_CPUS)
        return -ENOSPC;
    int err = cpus[k] ? 0 : new_core(k);
    if (err)
        return err;
    slots[k].on = l;
    l->core = k;
    WRITE_ONCE(l->state, ATTACH_CPU_DYING);
    l->vmcb->intercept1 |= INT1_HLT;
    return (int)k;
}

void core_cancel(struct linux_cpu *l)
{
    slots[l->core].on = NULL;
    l->vmcb->intercept1 &= ~INT1_HLT;
    WRITE_ONCE(l->state, ATTACH_CPU_LINUX);
}

/* On the core's own stack. */
static void first(unsigned k)
{
    if (k == 0)
        time_init();
    time_init_cpu();
    core_start(k);
}

void core_take(struct linux_cpu *l)
{
    struct slot *s = &slots[l->core];
    struct cpu *c = cpus[l->core];
    bool started = s->started;
    struct context here;
    c->arch.apic_id = l->apic_id;
    c->arch.amdv.last = NULL;
    c->arch.amdv.next = ~0u; /* its next guest gets a fresh ASID, with a flush */
    s->started = true;
    paging_enable_cpu();
    traps_init(c);
    if (c->arch.host_save)
        wrmsr(MSR_VM_HSAVE_PA, c->arch.host_save);
    apic_enable();
    fpu_init_cpu();
    n_cpus = MAX(n_cpus, l->core + 1);
    WRITE_ONCE(l->state, ATTACH_CPU_CORE);
    __asm__ volatile("stgi");
    if (!started)
        call_on_stack(first, l->core, (char *)s->stack + HAL_STACK_SIZE);
    context_switch(&here, &s->at);
    __builtin_unreachable();
}

static void back(void *arg)
{
    struct linux_cpu *l = arg;
    struct attach_cpu *p = l->page;
    apic_write(APIC_LVT_TIMER, 1u << 16);
    apic_write(APIC_SVR, VEC_SPURIOUS); /* off, as Linux left it */
    __asm__ volatile("clgi");
    write_cr4(read_cr4() & ~CR4_PGE);
    wrmsr(MSR_VM_HSAVE_PA, p->hsave_pa);
    __asm__ volatile("lgdt %0; vmload %1" ::"m"(p->host_gdtr.limit), "a"(l->host_vmcb) : "memory");
    attach_end(l);
    slots[l->core].on = NULL;
    WRITE_ONCE(l->state, ATTACH_CPU_PARKED);
    attach_leave(p);
}

/* The calling core's idle thread, nothing else left to run on it: comes back when Linux has given another CPU. */
void core_return(void)
{
    unsigned long flags = irq_save();
    struct slot *s = &slots[this_cpu()->id];
    struct context to;
    context_init(&to, (void *)s->on->page->host_rsp, back, s->on);
    context_switch(&s->at, &to);
    time_init_cpu();
    irq_restore(flags);
}
