/* SPDX-License-Identifier: MIT */
/*
 * layer.c - the layer below the kernel: prepared at boot, and entered (selfvirt/layer.h).
 *
 * All that takes time is done ahead: a VMCB, a save area and a stack for each core, one nested table, one pair of
 * permission maps. The switch only captures the live state and runs VMRUN.
 */
#include <arch/apic.h>
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/features.h>
#include <core/frames.h>
#include <core/log.h>
#include <errors.h>
#include <hal/context.h>
#include <attach/switch.h>
#include <hal/upcalls.h>
#include <string.h>

#include "layer.h"

#define X2APIC_FIRST 0x800u
#define X2APIC_LAST  0x83fu

struct layer layers[MAX_CPUS];

/* All ports exit, and the MSRs that the layer needs. */
static u8 port_map[IOPM_SIZE] __aligned(4096);
static u8 msr_map[MSRPM_SIZE] __aligned(4096);
static struct stage2 nested;
static int unprepared = -ENODEV; /* why there can be no layer; 0: there can */

static __init_text void keep_msr(u32 msr, bool reads)
{
    msrpm_trap(msr_map, msr, reads ? MSRPM_READ | MSRPM_WRITE : MSRPM_WRITE);
}

static __init_text void make_maps(void)
{
    memset(port_map, 0xff, sizeof(port_map));
    for (u32 msr = X2APIC_FIRST; msr <= X2APIC_LAST; msr++)
        keep_msr(msr, true);
    keep_msr(MSR_TSC_DEADLINE, true);
    keep_msr(MSR_APIC_BASE, false);
    keep_msr(MSR_EFER, false);
    keep_msr(MSR_VM_CR, true);
    keep_msr(MSR_VM_HSAVE_PA, true);
}

/* Map one to one as much as this kernel's own tables, but not the local APIC's page, which the layer uses. */
static __init_text int make_nested(void)
{
    paddr_t end = 4 * GIB;
    for (unsigned i = 0; i < boot_info.n_regions; i++)
        end = MAX(end, ALIGN_UP(boot_info.region[i].base + boot_info.region[i].size, GIB));
    int err = stage2_init(&nested);
    if (!err)
        err = stage2_map(&nested, 0, 0, machine.lapic, S2_WRITE | S2_EXEC);
    paddr_t after = machine.lapic + PAGE_SIZE;
    if (!err)
        err = stage2_map(&nested, after, after, end - after, S2_WRITE | S2_EXEC);
    return err;
}

static __init_text int make_layer(struct layer *l)
{
    struct vmcb *b = l->vmcb = page_alloc();
    void *save = page_alloc();
    l->stack = hal_stack_alloc();
    if (!b || !save || !l->stack)
        return -ENOMEM;
    l->vmcb_pa = virt_to_phys(b);
    l->host_save = virt_to_phys(save);
    l->stack_top = (u64)l->stack + HAL_STACK_SIZE;
    b->intercept1 = INT1_INTR | INT1_CPUID | INT1_IOIO | INT1_MSR | INT1_SHUTDOWN;
    b->intercept2 = INT2_AMDV;
    b->iopm = virt_to_phys(port_map);
    b->msrpm = virt_to_phys(msr_map);
    b->asid = 1;
    b->np_enable = 1;
    b->ncr3 = nested.root;
    return 0;
}

__init_text int hal_layer_prepare(void)
{
    if (cpuid(0x80000000, 0).eax < 0x8000000a || !(cpuid(0x80000001, 0).ecx & X86_FEATURE_SVM) ||
        !(cpuid(0x8000000a, 0).edx & AMDV_NP)) {
        printk("self-virtualization: this processor has no AMD-V with nested paging\n");
        return unprepared;
    }
    make_maps();
    unprepared = make_nested();
    for (unsigned i = 0; i < n_cpus && !unprepared; i++)
        unprepared = make_layer(&layers[i]);
    return unprepared;
}

int hal_layer_check(void)
{
    if (unprepared)
        return unprepared;
    if (rdmsr(MSR_VM_CR) & VM_CR_SVMDIS)
        return -EOPNOTSUPP;
    return rdmsr(MSR_EFER) & EFER_SVME ? -EBUSY : 0;
}

int layer_attach(struct layer *l)
{
    struct vmcb *b = l->vmcb;
    wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_SVME);
    wrmsr(MSR_VM_HSAVE_PA, l->host_save);
    amdv_capture(b);
    b->clean = 0;
    b->tlb_control = TLB_FLUSH_ALL; /* translations of ASID 1 from an earlier attach */
    b->vintr = VINTR_MASKING;
    b->event_inject = b->shadow = 0;
    l->state.pending = 0;
    l->more = false;
    return layer_enter(l) ? -EIO : 0;
}

/* The stack tells whether an interrupt came to the layer or to the kernel: the layer has a stack of its own on each
 * core. */
bool layer_takes(struct trap_frame *f)
{
    struct layer *l = &layers[this_cpu_here()->id];
    if (unlikely(f->rsp - (u64)l->stack < HAL_STACK_SIZE)) {
        if (f->vector >= VEC_IRQ_FIRST) {
            layer_interrupt(l, f->vector);
            return true;
        }
        WRITE_ONCE(vobject, &native_object); /* the layer itself makes the report */
        f->rflags &= ~RFLAGS_IF;             /* and it is not a domain's fault */
    } else if (f->vector == VEC_SWITCH) {
        vobject_enter()->irq_done();
        vobject_leave();
        self_switch_interrupt();
        core_irq_exit();
        return true;
    }
    return false;
}

/* The acknowledgement for traps.c and all others but the layer. */
void apic_eoi(void)
{
    vobject_enter()->irq_done();
    vobject_leave();
}

void hal_layer_stats(unsigned cpu, struct layer_stats *s) { *s = layers[cpu].stats; }
