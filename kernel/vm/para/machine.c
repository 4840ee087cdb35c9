/* SPDX-License-Identifier: MIT */
/*
 * machine.c - the machine of a guest in ring 1: memory, one vCPU, sixteen interrupt lines, a timer and a console by
 * calls. There are no device registers: a port reads as all ones, an address without memory ends the guest.
 */
#include "machine.h"

#include <core/log.h>
#include <string.h>

_Static_assert(sizeof(struct para_vcpu) <= PAGE_SIZE, "one page a vCPU");

void para_raise(struct para_vcpu *v, unsigned line)
{
    vcpu_raise(&v->vcpu.hal, line);
    vcpu_kick(&v->vcpu);
}

static void timer_fired(void *arg) { para_raise(arg, LINE_TIMER); }

__init_text int machine_memory(struct vm *vm, u64 size) { return vm_add_memory(vm, 0, size); }

gpa_t machine_channel_at(unsigned n) { return TUNNEL_AT + n * TUNNEL_STEP; }
unsigned machine_channel_line(unsigned n) { return LINE_TUNNEL + n % TUNNELS; }

__cold void vm_irq_line(struct vm *vm, unsigned gsi, bool level)
{
    if (level)
        para_raise(para_of(vm->vcpu[0]), gsi);
}

__init_text void machine_vcpu_init(struct vcpu *v) { timer_init(&para_of(v)->timer, timer_fired, v); }

__init_text int machine_create(struct vm *vm) { return 0; }
void machine_destroy(struct vm *vm) {}

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
    v->n = 0;
    WRITE_ONCE(v->vcpu.requests, 0);
    vcpu_start(&v->vcpu.hal, (u32)entry.rip, (u32)entry.rsi);
    return 0;
}

void machine_thread_begin(struct vcpu *v) {}

void machine_input(struct vm *vm, u8 byte)
{
    struct para_vcpu *v = para_of(vm->vcpu[0]);
    unsigned long flags = spin_lock_irqsave(&v->lock);
    if (v->n < INPUT_BYTES)
        v->input[(v->first + v->n++) % INPUT_BYTES] = byte;
    spin_unlock_irqrestore(&v->lock, flags);
    para_raise(v, LINE_INPUT);
}

bool machine_interruptible(const struct vcpu *v) { return vcpu_interruptible(&v->hal); }
bool machine_handle_requests(struct vcpu *v) { return true; }
void machine_before_run(struct vcpu *v) {}
void machine_after_run(struct vcpu *v) {}
bool machine_has_work(struct vcpu *v) { return vcpu_has_interrupt(&v->hal); }
void machine_hypercall(struct vcpu *v) { para_machine_call(para_of(v)); }
bool machine_exit(struct vcpu *v, const struct vcpu_exit *e)
{
    if (e->reason != VCPU_EXIT_MMIO)
        return false;
    printk("%s: there is no memory at %llx\n", v->vm->conf->name, e->addr);
    return false;
}
void machine_suspended(struct vcpu *v) {}
void machine_stats(struct vm *vm) {}

void machine_dump(const struct vcpu *v)
{
    printk("%s: vcpu %u:\n", v->vm->conf->name, v->id);
    vcpu_dump(&v->hal);
}
