/* SPDX-License-Identifier: MIT */
/*
 * core.c - a CPU that Linux gave up becomes a core of the kernel, and Linux's again.
 *
 * Linux takes the CPU down as it does for any reason, told before by a call that this time the last idle instruction
 * hands it over. There it becomes a core as on any board: our tables, APIC, timer, core_join(), core_start().
 *
 * When core/ lets it go it is never bare: it waits here until Linux starts it.  The INIT and the start-up interrupt are
 * not sent but noted (attach/apic.c), and it begins in real mode where they say, as a guest.
 */
#include <arch/apic.h>
#include <arch/attach.h>
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/trap.h>
#include <arch/vcpu.h>
#include <core/cores.h>
#include <core/log.h>
#include <errors.h>
#include <hal/context.h>
#include <hal/upcalls.h>
#include <hal/cpu.h>
#include <hal/time.h>
#include <string.h>

#define LVT_MASKED (1u << 16)
#define GATE       16 /* bytes of an entry of the IDT */
#define FPU_AREA   4096
#define ICR_NMI    (4u << 8)
#define STOP_NS    1000000000 /* a core that has not stopped by then never will */

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

static void no_last_idle(struct linux_cpu *l)
{
    l->vmcb->intercept1 &= ~INT1_HLT;
    l->vmcb->intercept2 &= ~INT2_MWAIT;
    linux_trap_idle(l, false);
}

void core_cancel(struct linux_cpu *l)
{
    no_last_idle(l);
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
    mp_fence(); /* either we see that all stop, or cores_stop() sees this core */
    if (cores_ending())
        core_stop_here();
    core_start(l->number);
}

void core_take(struct linux_cpu *l)
{
    struct arch_cpu *a = &l->core.arch;
    no_last_idle(l);
    a->apic_id = l->apic_id;
    a->deadline = 0;
    a->host_save = a->host_vmcb = 0;
    memset(&a->amdv, 0, sizeof(a->amdv));
    paging_enable_cpu();
    traps_init(&l->core);
    apic_enable();
    if (!apic_is_x2())
        apic_write(APIC_LDR, 0); /* Linux's logical destinations are others' */
    fpu_init_cpu();
    __asm__ volatile("stgi");
    call_on_stack(begin, l->index, (char *)l->core_stack + HAL_STACK_SIZE);
}

/* Nobody's interrupts: what still comes for the core that was here is taken and forgotten. */
static void forget_interrupts(void)
{
    static u8 gates[256 * GATE] __aligned(16);
    static struct {
        u16 limit;
        u64 base;
    } __packed idtr = { sizeof(gates) - 1, (u64)gates };
    u64 all;
    u16 limit;
    idt_where(&all, &limit);
    for (unsigned v = 0; v < 256; v++) { /* the same by whoever does it, another one may be using them */
        unsigned from = v >= VEC_IRQ_FIRST && v < VEC_SPURIOUS ? VEC_IRQ_FIRST - 1 : v;
        memcpy(gates + v * GATE, (const char *)all + from * GATE, GATE);
    }
    __asm__ volatile("lidt %0" ::"m"(idtr) : "memory");
}

/* Nothing to wake it up by: an interrupt that came late would be Linux's. Linux starts it at once or never. */
static u8 wait_for_startup(struct linux_cpu *l)
{
    WRITE_ONCE(l->startup, 0);
    WRITE_ONCE(l->state, ATTACH_CPU_PARKED);
    irq_enable();
    while (!(READ_ONCE(l->startup) & CORE_STARTUP))
        cpu_relax();
    irq_disable();
    return (u8)l->startup;
}

static void forget_extended_state(void)
{
    static u8 area[FPU_AREA] __aligned(64);
    struct fpu blank;
    if (fpu_state_size() > sizeof(area))
        panic("extended state takes %llu bytes", (u64)fpu_state_size());
    fpu_state_init(&blank, area);
    fpu_switch(NULL, &blank);
}

/* What INIT and the start-up interrupt leave (APM vol. 2, 14.1.3 and 15.28). */
static void begin_at(struct linux_cpu *l, u8 vector)
{
    struct vmcb *b = l->vmcb;
    struct attach_cpu *p = l->page;
    memset(p->regs, 0, sizeof(p->regs));
    p->regs[RDX] = cpuid(1, 0).eax;
    vmcb_init(b);
    vmcb_startup(b, vector);
    b->event_inject = 0;
    b->tlb_control = TLB_FLUSH_ALL;
    /* VMRUN would show Linux those of the last guest (15.5.1). */
    __asm__ volatile("mov %0, %%dr0; mov %0, %%dr1; mov %0, %%dr2; mov %0, %%dr3" ::"r"(0ul));
}

void hal_core_left(void)
{
    struct linux_cpu *l = container_of(this_cpu(), struct linux_cpu, core);
    struct attach_cpu *p = l->page;
    apic_write(APIC_LVT_TIMER, LVT_MASKED);
    forget_interrupts();
    u8 vector = wait_for_startup(l);
    apic_write(APIC_SVR, VEC_SPURIOUS); /* off, as after INIT */
    forget_extended_state();
    __asm__ volatile("clgi");
    write_cr4(read_cr4() & ~CR4_PGE);
    wrmsr(MSR_PAT, p->pat);
    wrmsr(MSR_VM_HSAVE_PA, p->hsave_pa);
    begin_at(l, vector);
    l->flushed = __atomic_load_n(&linux_space_version, __ATOMIC_SEQ_CST);
    WRITE_ONCE(l->state, ATTACH_CPU_LINUX);
    attach_run(p);
}

static bool ending;

bool cores_ending(void) { return READ_ONCE(ending); }

void core_stop_here(void)
{
    forget_extended_state(); /* a reset by INIT keeps it (APM vol. 2, 14.1.3) */
    WRITE_ONCE(container_of(this_cpu(), struct linux_cpu, core)->stopped, true);
    hal_halt();
}

static bool is_core(const struct linux_cpu *l) { return READ_ONCE(l->state) >= ATTACH_CPU_CORE; }

void cores_stop(void)
{
    WRITE_ONCE(ending, true);
    mp_fence();
    for (unsigned i = 0; i < n_linux_cpus; i++)
        if (is_core(linux_cpus[i]))
            apic_icr(linux_cpus[i]->apic_id, ICR_NMI);
    ticks_t end = time_after(STOP_NS);
    for (unsigned i = 0; i < n_linux_cpus; i++)
        while (is_core(linux_cpus[i]) && !READ_ONCE(linux_cpus[i]->stopped) && time_now() < end)
            cpu_relax();
}

unsigned cores_given(void)
{
    unsigned n = 0;
    for (unsigned i = 0; i < n_linux_cpus; i++)
        n += READ_ONCE(linux_cpus[i]->state) >= ATTACH_CPU_DYING; /* what comes after it in the order of states */
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
