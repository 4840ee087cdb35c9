/* SPDX-License-Identifier: MIT */
/* event.c - the event log: the last events of each VM, in its record (partition/record.h). */
#include "vm.h"

void event_log(struct vm *vm, u32 event, u32 action, u32 code, u32 value)
{
    struct partition_event *e = &vm->part.events[vm->part.n_events % VM_EVENTS];

    e->when = hal_now();
    e->event = (u8)event;
    e->action = (u8)action;
    e->core = core.id;
    e->run = (u8)vm->runs;
    e->code = code;
    e->value = value;
    vm->part.n_events = count_on(vm->part.n_events);
}
