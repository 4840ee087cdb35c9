/* SPDX-License-Identifier: MIT */
/*
 * pc_life.c - creates, starts and destroys a virtual PC. Its vCPUs and devices are created once, from the system table.
 * Each start loads the guest into its memory and resets all vCPUs: the first gets the entry state of the loader, the
 * others wait for their STARTUP.
 */
#include <arch/cpu.h>
#include <core/frames.h>
#include <core/log.h>
#include <generated/api_calls.h>
#include <net/net.h>
#include <string.h>
#include <vm/load.h>
#include <vm/places.h>
#include "lapic.h"

#define RAM_HIGH (4 * GIB)

_Static_assert(sizeof(struct pc_vcpu) <= PAGE_SIZE, "one page a vCPU");
_Static_assert(sizeof(struct pc_vm) <= PAGE_SIZE, "one page a VM");

struct pc_parts *pc_parts(struct vm *vm) { return &((struct pc_vm *)vm)->parts; }

gpa_t machine_channel_at(unsigned n) { return TUNNEL_BASE + n * TUNNEL_STRIDE; }
unsigned machine_channel_line(unsigned n) { return TUNNEL_GSI + n; }

__init_text int machine_memory(struct vm *vm, u64 size)
{
    int err = vm_add_memory(vm, 0, MIN(size, RAM_HOLE));
    return err || size <= RAM_HOLE ? err : vm_add_memory(vm, RAM_HIGH, size - RAM_HOLE);
}

__init_text void machine_vcpu_init(struct vcpu *vcpu)
{
    struct pc_vcpu *v = pc_of(vcpu);
    v->calls = vcpu->vm->conf->flags & SYS_HYPERCALLS;
    lapic_create(v);
    cpuid_prepare(v);
}

static __init_text int create_device(struct vm *vm, const struct sys_device *conf)
{
    switch (conf->type) {
    case SYS_DEV_UART: return uart_create(vm, conf);
    case SYS_DEV_PC: return pc_devices_create(vm);
    default: return virtio_create(vm, conf, system_table);
    }
}

__init_text int machine_create(struct vm *vm)
{
    for (unsigned i = 0; i < vm->n_vcpus; i++) {
        struct hal_vcpu *h = &vm->vcpu[i]->hal;
        h->fast = pc_fast;
        vcpu_measure_by(h, pc_measure);
        vcpu_fast_call(h, API_BASE + API_NULL);
    }
    int err = ioapic_create(vm);
    for (unsigned i = 0; !err && i < sys_vm(vm->conf)->n_devices; i++)
        err = create_device(vm, &sys_vm(vm->conf)->device[i]);
    return err;
}

void machine_cancel_timers(struct vm *vm)
{
    for (unsigned i = 0; i < vm->n_vcpus; i++)
        lapic_timer_stop(&pc_of(vm->vcpu[i])->lapic);
}

void machine_destroy(struct vm *vm)
{
    net_switch_leave(vm);
    while (vm->devs.n_pages)
        page_clean(vm->devs.page[--vm->devs.n_pages]);
}

_Static_assert(offsetof(struct guest_entry, rip) - offsetof(struct guest_entry, cr4) ==
                   offsetof(struct guest_cpu, rip) - offsetof(struct guest_cpu, cr4),
               "control registers in the same order");

/* Load the entry state into a vCPU that has been reset. */
static void set_entry(struct hal_vcpu *h, const struct guest_entry *e)
{
    struct guest_cpu *cpu = vcpu_cpu(h);
    memcpy(h->regs, &e->rax, 8 * sizeof(u64));
    cpu->rax = e->rax;
    cpu->rsp = e->rsp;
    memcpy(&cpu->cr4, &e->cr4, 7 * sizeof(u64));
    cpu->efer |= e->efer;
    for (unsigned i = 0; i < 6; i++)
        memcpy(guest_segments(cpu) + i, &e->data, sizeof(cpu->ds));
    memcpy(&cpu->cs, &e->cs, sizeof(cpu->cs));
    cpu->tr.limit = 0x67;
    cpu->ldtr.limit = 0;
    cpu->gdtr.limit = e->gdt_limit;
    cpu->gdtr.base = e->gdt_base;
}

/* What KVM forgets at an INIT, too: its interface, a kick, the window. */
static __noinline void forget(struct pc_vcpu *v)
{
    kvm_pv_reset(v);
    v->unhalted = false;
    v->window = false;
}

void pc_reset_vcpu(struct pc_vcpu *v)
{
    vcpu_reset(&v->vcpu.hal);
    lapic_reset(v);
    forget(v);
}

__cold void pc_init_vcpu(struct pc_vcpu *v)
{
    vcpu_init(&v->vcpu.hal);
    lapic_init(v);
    forget(v);
}

static int image_load(struct vm *vm, struct guest_entry *entry, const char **why)
{
    struct load_request r = { .memory = &vm->memory, .boot = sys_vm(vm->conf)->boot, .entry = sys_vm(vm->conf)->entry };
    u64 size = 0;
    const void *acpi = sys_payload(system_table, sys_vm(vm->conf)->acpi, &size);
    void *to = guest_ptr(&vm->memory, FIRMWARE_BASE, FIRMWARE_MAX);
    if (acpi && to && size <= FIRMWARE_MAX) {
        memcpy(to, acpi, size);
        r.rsdp = FIRMWARE_BASE;
    }
    r.kernel = sys_payload(system_table, sys_vm(vm->conf)->kernel, &r.kernel_size);
    r.initrd = sys_payload(system_table, sys_vm(vm->conf)->initrd, &r.initrd_size);
    r.n_modules = sys_vm(vm->conf)->n_modules;
    r.refusal = ((struct pc_vm *)vm)->refusal;
    r.cmdline = sys_string(system_table, vm->conf->cmdline);
    return guest_load(&r, entry, why);
}

int machine_start(struct vm *vm, const char **why)
{
    struct guest_entry entry;
    int err = image_load(vm, &entry, why);
    if (err)
        return err;
    for (unsigned i = 0; i < vm->n_vcpus; i++) {
        pc_reset_vcpu(pc_of(vm->vcpu[i]));
        WRITE_ONCE(vm->vcpu[i]->requests, i ? REQ_WAIT : 0);
    }
    set_entry(&vm->vcpu[0]->hal, &entry);
    return 0;
}

void machine_thread_begin(struct vcpu *v) { vcpu_reset_xcr0(); }

/* A guest may have a UART and a virtio console. A UART counts if a driver has enabled its input interrupt: Linux
 * opens a serial port only for a reader. */
void machine_input(struct vm *vm, u8 byte)
{
    if (uart_open(vm) || !virtio_console_input(vm, byte))
        uart_input(vm, byte);
}

bool machine_interruptible(const struct vcpu *v) { return vcpu_irq_window(&v->hal); }

void machine_stats(struct vm *vm) { net_switch_stats(vm); }

void machine_dump(const struct vcpu *v)
{
    const struct guest_cpu *cpu = vcpu_cpu(&v->hal);
    const u64 *raw = vcpu_raw_exit(&v->hal);
    printk("%s: vcpu %u: exit 0x%llx info 0x%llx 0x%llx\n", v->vm->conf->name, v->id, raw[0], raw[1], raw[2]);
    printk("  cs:rip %04x:%016llx rflags %llx cr0 %llx cr2 %llx cr3 %llx cr4 %llx efer %llx cpl %u\n", cpu->cs.selector,
           cpu->rip, cpu->rflags, cpu->cr0, cpu->cr2, cpu->cr3, cpu->cr4, cpu->efer, cpu->cpl);
    printk("  rax %016llx rbx %016llx rcx %016llx rdx %016llx\n", cpu->rax, v->hal.regs[RBX], v->hal.regs[RCX],
           v->hal.regs[RDX]);
    printk("  rsp %016llx rbp %016llx rsi %016llx rdi %016llx\n", cpu->rsp, v->hal.regs[RBP], v->hal.regs[RSI],
           v->hal.regs[RDI]);
}
