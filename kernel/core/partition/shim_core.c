/* SPDX-License-Identifier: MIT */
/* shim_core.c - until the scheduler is here: core N runs VM N. */
#include <core/partition.h>
#include <string.h>

struct vm_record vm_records[PT_VMS] __attribute__((section(".shared")));

int partition_start(void)
{
    const struct pt_header *h = (const void *)PT_ADDRESS;
    if (h->magic != PT_MAGIC || h->version != PT_VERSION || h->header_size != sizeof(*h)) {
        hal_report("no partition table", h->magic, h->version);
        return -1;
    }
    struct vm *vm = vm_of(core.id);
    const struct pt_vm *conf = (const void *)((const u8 *)h + h->off_vms);
    const struct pt_segment *seg = (const void *)((const u8 *)h + h->off_segments);
    vm->conf = conf += core.id;
    vm->base = conf->base;
    vm->size = conf->size;
    vm->id = core.id;
    vm->flags = conf->flags;
    for (u32 i = 0; i < conf->n_segments; i++) {
        const struct pt_segment *s = &seg[conf->first_segment + i];
        memcpy((void *)(vm->base + s->gpa), (const u8 *)h + s->src, s->filesz);
    }
    code_written((void *)vm->base, 0x1000);
    vm_context_reset(vm);
    hal_switch(vm);
    core.window_due = hal_now() + 333333;
    return 0;
}
void sched_alarm(u32 now) { core.window_due = now + 333333; }
void sched_yield(struct vm *vm, bool wait) {}
void sched_wake(struct vm *vm) {}
void vm_event(struct vm *vm, enum pt_event event, u32 code, u32 value)
{
    hal_report("event", code, value);
    hal_board_reset();
}
void hypercall(struct vm *vm, u32 number) {}
