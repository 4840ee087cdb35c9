/* SPDX-License-Identifier: MIT */
/* calls.c - the calls that all kinds of handles have: kernel/api/handle.yaml describes them. */
#include <errors.h>
#include <generated/handle_calls.h>
#include <hal/cpu.h>

#include "table.h"

_Static_assert(HANDLE_READ == 1 && HANDLE_WRITE == 2 && HANDLE_SEND == 4 && HANDLE_OWN == 8, "as handle.yaml says");

s64 handle_call_handle_close(struct process_thread *t, u32 index)
{
    struct handles *of = handles_of(t->process);
    spin_lock_here(&of->lock);
    struct handle h = of->handle[index];
    of->handle[index].object = NULL;
    spin_unlock(&of->lock);
    if (!h.object)
        return -EBADF;
    if (h.object->ops && h.object->ops->closed) {
        irq_enable();
        h.object->ops->closed(h.object, t, index, h.rights);
        irq_disable();
    }
    return 0;
}

s64 handle_call_handle_info(struct user *u, u32 index, u32 field)
{
    struct handle h = handle_at(container_of(u, struct process_thread, user)->process, index);
    if (!h.object)
        return -EBADF;
    const u32 answer[] = {
        [HANDLE_CALL_HANDLE_INFO_KIND] = h.object->kind,
        [HANDLE_CALL_HANDLE_INFO_RIGHTS] = h.rights,
        [HANDLE_CALL_HANDLE_INFO_SIZE] = h.object->size,
        [HANDLE_CALL_HANDLE_INFO_VALID] = READ_ONCE(h.object->generation) == h.generation,
    };
    return answer[field];
}
