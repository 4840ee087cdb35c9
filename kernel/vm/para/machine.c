/* SPDX-License-Identifier: MIT */
/*
 * machine.c - the machine of a guest in ring 1: memory, one vCPU, sixteen interrupt lines, a timer and a console by
 * calls, and virtio devices at the addresses that those of a PC have. A kernel that was not built for ring 1 has a PC's
 * old devices (vm/devices) beside these, and its lines go through the 8259 pair. Ports, and addresses where no device
 * is, read as all ones.
 */
#include "machine.h"

#include <chip/guest.h>
#include <core/frames.h>
#include <core/log.h>
#include <net/net.h>
#include <string.h>
#include <vm/places.h>

_Static_assert(sizeof(struct para_vcpu) <= PAGE_SIZE, "one page a vCPU");
_Static_assert(sizeof(struct para_vm) <= PAGE_SIZE, "one page a VM");

struct pc_parts *pc_parts(struct vm *vm) { return &((struct para_vm *)vm)->parts; }

void para_raise(struct para_vcpu *v, unsigned line)
{
    vcpu_raise(&v->vcpu.hal, line);
    vcpu_kick(&v->vcpu);
}

static void timer_fired(void *arg) { para_raise(arg, LINE_TIMER); }

__init_text int machine_memory(struct vm *vm, u64 size) { return vm_add_memory(vm, 0, size); }

gpa_t machine_channel_at(unsigned n) { return TUNNEL_BASE + n * TUNNEL_STRIDE; }
unsigned machine_channel_line(unsigned n) { return LINE_TUNNEL + n % TUNNELS; }

/* A line is raised by an edge and stays until it is taken; those who share one all look then. */
__cold void vm_irq_line(struct vm *vm, unsigned gsi, bool level)
{
    unsigned line = gsi < VIRTIO_GSI ? gsi : RING1_LINE + (gsi - VIRTIO_GSI) % RING1_LINES;
    if (pc_parts(vm)->devices)
        i8259_line(vm, line, level);
    else if (level)
        para_raise(para_of(vm->vcpu[0]), line);
}

/* The vector is asked for when the guest takes it. */
__cold void vm_extint(struct vm *vm) { para_raise(para_of(vm->vcpu[0]), VCPU_EXTERNAL); }

void vm_request_pit(struct vm *vm) { __atomic_fetch_or(&vm->vcpu[0]->requests, REQ_PIT, __ATOMIC_SEQ_CST); }

void vm_request_input(struct vm *vm) { vcpu_request(vm->vcpu[0], REQ_INPUT); }

__init_text void machine_vcpu_init(struct vcpu *v) { timer_init(&para_of(v)->timer, timer_fired, v); }

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
    const struct sys_vm *conf = sys_vm(vm->conf);
    int err = 0;
    for (unsigned i = 0; !err && i < conf->n_devices; i++)
        err = create_device(vm, &conf->device[i]);
    if (CHIP_GUESTS && !err)
        err = chip_guest_map(vm->conf, &vm->stage2);
    return PARA_STRONG && !err ? strong_create(vm) : err;
}

void machine_destroy(struct vm *vm)
{
    net_switch_leave(vm);
    while (vm->devs.n_pages)
        page_clean(vm->devs.page[--vm->devs.n_pages]);
}

void machine_cancel_timers(struct vm *vm)
{
    for (unsigned i = 0; i < vm->n_vcpus; i++)
        timer_cancel(&para_of(vm->vcpu[i])->timer);
}

int machine_start(struct vm *vm, const char **why)
{
    struct para_vcpu *v = para_of(vm->vcpu[0]);
    const struct sys_vm *conf = sys_vm(vm->conf);
    struct load_request r = { .memory = &vm->memory, .boot = conf->boot };
    struct guest_entry entry;
    r.kernel = sys_payload(system_table, conf->kernel, &r.kernel_size);
    r.initrd = sys_payload(system_table, conf->initrd, &r.initrd_size);
    r.cmdline = sys_string(system_table, vm->conf->cmdline);
    int err = guest_load_linux32(&r, &entry, why);
    if (err)
        return err;
    if (CHIP_GUESTS)
        chip_guest_begin(vm->domain);
    v->n = 0;
    WRITE_ONCE(v->vcpu.requests, 0);
    vcpu_start(&v->vcpu.hal, (u32)entry.rip, (u32)entry.rsi);
    return PARA_STRONG ? strong_start(v, why) : 0;
}

void machine_thread_begin(struct vcpu *v)
{
    if (PARA_STRONG)
        strong_thread_begin(para_of(v));
}

static void own_input(struct para_vcpu *v, u8 byte)
{
    unsigned long flags = spin_lock_irqsave(&v->lock);
    if (v->n < INPUT_BYTES)
        v->input[(v->first + v->n++) % INPUT_BYTES] = byte;
    spin_unlock_irqrestore(&v->lock, flags);
    para_raise(v, LINE_INPUT);
}

/* A UART counts if a driver has enabled its input interrupt, as on a PC. */
void machine_input(struct vm *vm, u8 byte)
{
    if (!uart_open(vm) && virtio_console_input(vm, byte))
        return;
    if (pc_parts(vm)->uart)
        uart_input(vm, byte);
    else
        own_input(para_of(vm->vcpu[0]), byte);
}

bool machine_interruptible(const struct vcpu *v) { return vcpu_interruptible(&v->hal); }

/* What does not fit into the driver's buffers is asked for again. Returns whether something is left. */
static bool take_input(struct vcpu *v)
{
    if (vcpu_take_request(v, REQ_INPUT) && !virtio_console_resume(v->vm))
        __atomic_fetch_or(&v->requests, REQ_INPUT, __ATOMIC_SEQ_CST);
    return READ_ONCE(v->requests) & REQ_INPUT;
}

bool machine_handle_requests(struct vcpu *v)
{
    if (vcpu_take_request(v, REQ_PIT))
        pit_resume(v->vm);
    take_input(v);
    return PARA_STRONG ? strong_request(para_of(v)) : true;
}

bool machine_has_work(struct vcpu *v)
{
    if (PARA_STRONG && strong_is(v->vm))
        return strong_begins(para_of(v));
    return take_input(v) || vcpu_has_interrupt(&v->hal);
}

void machine_before_run(struct vcpu *v)
{
    if (PARA_STRONG)
        strong_before_run(para_of(v));
}

void machine_after_run(struct vcpu *v)
{
    if (PARA_STRONG)
        strong_after_run(para_of(v));
}

void machine_hypercall(struct vcpu *v) { para_machine_call(para_of(v)); }

/* The guest takes what the 8259 pair has for it. */
static void external_interrupt(struct vcpu *v)
{
    int vector = i8259_ack(v->vm);
    const char *why = vector < 0 ? NULL : vcpu_interrupt(&v->hal, (unsigned)vector);
    if (why)
        vcpu_fault(v, why);
}

bool machine_exit(struct vcpu *v, const struct vcpu_exit *e)
{
    struct io_map *map = &v->vm->mmio;
    if (e->reason == VCPU_EXIT_WINDOW) {
        external_interrupt(v);
        return true;
    }
    if (PARA_STRONG && e->reason == VCPU_EXIT_OTHER)
        return strong_exit(para_of(v));
    if (e->reason != VCPU_EXIT_MMIO)
        return false;
    if (!e->size)
        printk("%s: there is no memory at %llx, and its instruction is no move\n", v->vm->conf->name, e->addr);
    else if (!e->write)
        vcpu_complete_read(&v->hal, e, io_read(v->vm, map, e->addr, e->size));
    else if (io_write(v->vm, map, e->addr, e->size, e->value))
        vcpu_complete(&v->hal, e);
    return e->size;
}
void machine_suspended(struct vcpu *v) {}
void machine_stats(struct vm *vm) { net_switch_stats(vm); }

void machine_dump(const struct vcpu *v)
{
    printk("%s: vcpu %u:\n", v->vm->conf->name, v->id);
    vcpu_dump(&v->hal);
}
