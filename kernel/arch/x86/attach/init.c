/* SPDX-License-Identifier: MIT */
/*
 * init.c - the one call at load: all that takes time or memory is done here, so that attach only copies registers.
 *
 * It runs on one of Linux's CPUs with interrupts and GIF off, on page tables of the module that map the region only. It
 * changes nothing of the machine: APIC, timer and control registers of a core are set when Linux gives one. A panic
 * here cannot return to Linux, so each possible error is checked and reported in boot->reason.
 */
#include <arch/apic.h>
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/trap.h>
#include <attach/upcalls.h>
#include <board/linux.h>
#include <core/console.h>
#include <core/frames.h>
#include <core/log.h>
#include <errors.h>
#include <hal/context.h>
#include <hal/time.h>
#include <hal/upcalls.h>

#include "linux_cpu.h"

#define APIC_BASE_X2 (1ul << 10)

extern const char image_start[], image_end[];
static struct cpu loading;

static __init_text int take_region(const struct attach_boot *boot)
{
    if (!boot->n_chunks || boot->n_chunks > ATTACH_MAX_CHUNKS || !boot->n_cpus || boot->n_cpus > ATTACH_MAX_CPUS)
        return -EINVAL;
    boot_info.loader = "Linux";
    for (unsigned i = 0; i < boot->n_chunks; i++) {
        const struct attach_chunk *c = &boot->chunk[i];
        if (!c->base || !c->size || !IS_ALIGNED(c->base | c->size, ATTACH_CHUNK) ||
            c->base + c->size > physical_limit())
            return -EINVAL;
        boot_info.region[boot_info.n_regions++] = (struct boot_region){ c->base, c->size, BOOT_MEM_RAM };
    }
    core_memory_init(virt_to_phys(image_start), virt_to_phys(image_end));
    frames_reserve(image_phys, ATTACH_BOOT_AREA);
    return 0;
}

static __init_text int make_spaces(const struct attach_boot *boot)
{
    paging_init();
    u64 text = boot->trampoline_va, shared = (u64)phys_to_virt(boot->shared);
    int err = paging_map(text, boot->trampoline_pa, PAGE_SIZE, 0);
    if (!err)
        err = paging_map(shared, boot->shared, ALIGN_UP(boot->shared_size, PAGE_SIZE), PTE_W | PTE_NX);
    for (unsigned i = 0; !err && i < boot->n_ram; i++) /* Linux may give it later */
        err = paging_reserve((u64)phys_to_virt(boot->ram[i].base), boot->ram[i].size);
    machine.lapic = rdmsr(MSR_APIC_BASE) & PTE_ADDR;
    apic_setup(rdmsr(MSR_APIC_BASE) & APIC_BASE_X2); /* the mode in which Linux uses it */
    if (!err)
        err = linux_space_init();
    for (unsigned i = 0; !err && i < boot->n_chunks; i++)
        err = linux_hide(boot->chunk[i].base, boot->chunk[i].size);
    return err;
}

static __init_text int attach_load(struct attach_boot *boot)
{
    if (boot->shared_size < sizeof(struct attach_shared) || !IS_ALIGNED(boot->shared | boot->trampoline_va, PAGE_SIZE))
        return -EINVAL;
    if (memory_has_owners())
        return -EOPNOTSUPP;
    board_linux_init(boot);
    console_init();
    int err = take_region(boot);
    if (!err)
        err = attach_memory_init(boot);
    if (!err)
        err = attach_power_init(&boot->power);
    if (err)
        return err;
    traps_init(&loading);
    core_reset_init();
    err = make_spaces(boot);
    for (unsigned i = 0; !err && i < boot->n_cpus; i++) {
        err = linux_cpu_create(boot->apic_id[i], boot);
        if (!err)
            boot->cpu[i] = virt_to_phys(linux_cpus[i]->page);
    }
    if (!err)
        err = attach_scrub_init();
    if (!err)
        printk("amalgam: loaded beneath Linux: %u CPUs, %llu KiB free\n", boot->n_cpus, frames_free_bytes() >> 10);
    return err;
}

__init_text void attach_init(struct attach_cpu *p)
{
    image_phys = ALIGN_DOWN((u64)p, ATTACH_CHUNK) - LINEAR_BASE;
    struct attach_boot *boot = phys_to_virt(image_phys);
    loading.arch.self = &loading;
    wrmsr(MSR_GS_BASE, (u64)&loading.arch);
    idt_init();
    idt_gate(VEC_SX, (u64)attach_sx, SX_STACK);
    boot->error = attach_load(boot);
    p->regs[0] = 0;
    p->leave = boot->leave;
    p->rip = boot->resume;
    p->rflags = 2;
}
