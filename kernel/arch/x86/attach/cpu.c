/* SPDX-License-Identifier: MIT */
/*
 * cpu.c - what one of Linux's CPUs needs to be a guest's, made at load: control block with as few intercepts as
 * isolation allows, stack, descriptor tables, and the image that VMLOAD turns the CPU into ours with.
 *
 * Linux has its ports, interrupts, NMIs, HLT, CPUID and nearly all MSRs without an exit.  What exits: AMD-V's own
 * instructions (#UD), its MSRs, and EFER, in which our SVME bit must stay (attach/msr.c); and writes of APIC_BASE and,
 * while something is given, of interrupt commands (attach/apic.c) and to the ports that make the machine sleep or start
 * again (attach/port.c).
 */
#include <arch/attach.h>
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/trap.h>
#include <attach/attach.h>
#include <core/frames.h>
#include <errors.h>
#include <hal/context.h>
#include <string.h>

#include "msr.h"

#define ATTR_TSS64_BUSY 0x8b

extern const char attach_cpu_entry[];

struct linux_cpu *linux_cpus[ATTACH_MAX_CPUS];
unsigned n_linux_cpus;

static u8 msr_map[MSRPM_SIZE] __aligned(4096);
/* Of CPUs that go down, and of all others. */
static u8 idle_io_map[IOPM_SIZE] __aligned(4096);
static u8 io_map[IOPM_SIZE] __aligned(4096);

static void trap_port(u16 port)
{
    iopm_trap(io_map, port);
    linux_trap_idle_port(port);
}

void linux_trap_idle_port(u16 port) { iopm_trap(idle_io_map, port); }

void linux_trap_idle(struct linux_cpu *l, bool on) { l->vmcb->iopm = virt_to_phys(on ? idle_io_map : io_map); }

/* No CPU goes down while it is switched off: nothing is given. */
void linux_trap_ports(bool on)
{
    memset(io_map, 0, sizeof(io_map));
    memset(idle_io_map, 0, sizeof(idle_io_map));
    if (on)
        attach_power_ports(trap_port);
}

static __init_text void msr_trap_write(u32 msr) { msrpm_trap(msr_map, msr, MSRPM_WRITE); }

void linux_trap_icr(bool on)
{
    u8 *at = &msr_map[MSRPM_SLOT(MSR_X2APIC_ICR) / 4], bits = MSRPM_BITS(MSR_X2APIC_ICR, MSRPM_WRITE);
    *at = (u8)((*at & ~bits) | (on ? bits : 0));
}

static __init_text void control(struct linux_cpu *l)
{
    struct vmcb *b = l->vmcb;
    b->intercept_exception = 1u << VEC_SX;
    b->intercept1 = INT1_INVLPGA | INT1_IOIO | INT1_MSR | INT1_SHUTDOWN;
    b->intercept2 = INT2_AMDV;
    b->intercept1 |= INT1_INVD; /* it would undo what lies in caches only: that given memory was overwritten */
    msrpm_trap(msr_map, MSR_EFER, MSRPM_READ | MSRPM_WRITE);
    msrpm_trap(msr_map, MSR_VM_CR, MSRPM_READ | MSRPM_WRITE);
    msrpm_trap(msr_map, MSR_VM_HSAVE_PA, MSRPM_READ | MSRPM_WRITE);
    msr_trap_write(MSR_APIC_BASE);
    attach_msr_seal(msr_trap_write);
    b->msrpm = virt_to_phys(msr_map);
    b->iopm = virt_to_phys(io_map);
    b->asid = 1;
    b->np_enable = NP_ENABLE | (cpuid(0x8000000a, 0).edx & AMDV_INVLPGB ? NP_INVLPGB : 0);
    b->ncr3 = linux_space.root;
}

/* What VMLOAD loads: GS finds the record, TR the exception stacks. */
static __init_text paddr_t image(struct linux_cpu *l)
{
    struct vmcb *host = (struct vmcb *)l->own.arch.host_area[1];
    host->gs.base = (u64)&l->own.arch;
    host->tr = (struct vmcb_segment){ 0x20, ATTR_TSS64_BUSY, sizeof(struct tss) - 1, (u64)&l->own.arch.tss };
    return virt_to_phys(host);
}

static __init_text void fill_page(struct linux_cpu *l, const struct attach_boot *boot)
{
    struct attach_cpu *p = l->page;
    p->self = (u64)p;
    p->host_cr3 = paging_root();
    p->host_rsp = (u64)l->stack + HAL_STACK_SIZE;
    p->entry = (u64)attach_cpu_entry;
    p->vmcb_pa = virt_to_phys(l->vmcb);
    p->hsave_pa = virt_to_phys(l->own.arch.host_area[0]);
    p->leave = boot->leave;
    p->host_gdtr.limit = sizeof(l->own.arch.gdt) - 1;
    p->host_gdtr.base = (u64)l->own.arch.gdt;
    idt_where(&p->host_idtr.base, &p->host_idtr.limit);
    p->host_vmcb = image(l);
}

__init_text int linux_cpu_create(u32 apic_id, const struct attach_boot *boot)
{
    paddr_t pa = frames_alloc(ALIGN_UP(sizeof(struct linux_cpu), PAGE_SIZE) / PAGE_SIZE, PAGE_SIZE);
    if (pa == (paddr_t)-1)
        return -ENOMEM;
    struct linux_cpu *l = memset(phys_to_virt(pa), 0, sizeof(*l));
    l->vmcb = page_alloc();
    l->page = page_alloc();
    l->stack = hal_stack_alloc();
    l->core_stack = hal_stack_alloc();
    l->window = hal_map_device(machine.lapic, PAGE_SIZE); /* any page: what it shows is decided when it is used */
    if (!l->vmcb || !l->page || !l->stack || !l->core_stack || !l->window)
        return -ENOMEM;
    l->window_entry = paging_entry(l->window);
    l->index = n_linux_cpus;
    l->resume = boot->resume;
    l->apic_id = l->own.arch.apic_id = apic_id;
    l->own.id = MAX_CPUS; /* of no core */
    traps_prepare(&l->own);
    traps_prepare(&l->core);
    control(l);
    fill_page(l, boot);
    linux_cpus[n_linux_cpus++] = l;
    return 0;
}

struct linux_cpu *linux_cpu_find(u32 apic_id)
{
    for (unsigned i = 0; i < n_linux_cpus; i++)
        if (linux_cpus[i]->apic_id == apic_id)
            return linux_cpus[i];
    return NULL;
}
