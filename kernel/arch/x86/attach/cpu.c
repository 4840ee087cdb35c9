/* SPDX-License-Identifier: MIT */
/*
 * cpu.c - creates, at load, what each of Linux's CPUs needs to be a guest: VMCB with as few intercepts as isolation
 * permits, stack, descriptor tables, and the image that VMLOAD makes the CPU the kernel's with.
 *
 * Linux uses its ports, interrupts, NMIs, HLT, CPUID and nearly all MSRs without an exit. These exit: AMD-V's
 * instructions (#UD), its MSRs, and EFER, whose SVME bit must stay set (attach/msr.c); writes of APIC_BASE; and, while
 * something is given, interrupt commands (attach/apic.c) and writes to ports that make the machine sleep or reset
 * (attach/port.c).
 */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/trap.h>
#include <core/frames.h>
#include <errors.h>
#include <hal/context.h>
#include <string.h>

#include "linux_cpu.h"
#include "msr.h"

#define ATTR_TSS64_BUSY 0x8b

extern const char attach_cpu_entry[];

static __init_text void control(struct linux_cpu *l)
{
    struct vmcb *b = l->vmcb;
    b->intercept_exception = 1u << VEC_SX;
    b->intercept1 = INT1_INVLPGA | INT1_IOIO | INT1_MSR | INT1_SHUTDOWN;
    b->intercept2 = INT2_AMDV;
    b->intercept1 |=
        INT1_INVD; /* INVD would drop writes that are only in caches, such as the clearing of given memory */
    linux_maps(b);
    attach_msr_seal(linux_trap_msr);
    b->asid = 1;
    b->np_enable = NP_ENABLE | (cpuid(0x8000000a, 0).edx & AMDV_INVLPGB ? NP_INVLPGB : 0);
    b->ncr3 = linux_space.root;
}

/* Fill the image for VMLOAD: GS points to the record, TR to the exception stacks. */
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
    void *sx_stack = page_alloc();
    l->window = hal_map_device(machine.lapic, PAGE_SIZE); /* any page: the mapping is changed at each use */
    if (!l->vmcb || !l->page || !l->stack || !l->core_stack || !sx_stack || !l->window)
        return -ENOMEM;
    l->window_entry = paging_entry(l->window);
    l->index = n_linux_cpus;
    l->resume = boot->resume;
    l->apic_id = l->own.arch.apic_id = apic_id;
    l->own.id = MAX_CPUS; /* not the number of a core */
    l->core.arch.tss.ist[SX_STACK - 1] = (u64)sx_stack + PAGE_SIZE;
    traps_prepare(&l->own);
    traps_prepare(&l->core);
    control(l);
    fill_page(l, boot);
    linux_cpus[n_linux_cpus++] = l;
    return 0;
}
