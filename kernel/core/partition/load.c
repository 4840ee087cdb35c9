/* SPDX-License-Identifier: MIT */
/*
 * load.c - a VM's memory at the start of a life: zeros, its segments, its patches. In steps, because a core that loads
 * takes no alarm: LOAD_STEP bounds by how much a window's edge can come late for it (docs/windows.md).
 *
 * In its first life the memory is zero already, as all of the board's memory (core/shared.h). health.c begins the
 * others.
 */
#include <core/sched_vm.h>
#include <core/table.h>
#include <string.h>

static void copy(struct vm *vm)
{
    struct partition *p = &vm->part;
    if (p->load_segment == vm->conf->n_segments) {
        p->load = LOAD_PATCH;
        return;
    }
    const struct pt_segment *s = &pt_segments()[vm->conf->first_segment + p->load_segment];
    u32 n = MIN(s->filesz - p->load_at, LOAD_STEP);
    void *to = (void *)(uintptr_t)(vm->base + s->gpa + p->load_at);
    memcpy(to, PT_AT(u8, s->src + p->load_at), n);
    code_written(to, n);
    p->load_at += n;
    if (p->load_at == s->filesz) {
        p->load_segment++;
        p->load_at = 0;
    }
}

bool load_step(struct vm *vm)
{
    struct partition *p = &vm->part;
    if (p->load == LOAD_ZERO) {
        load_zero(vm);
    } else if (p->load == LOAD_COPY) {
        copy(vm);
    } else {
        p->load_at = patch_step(vm, p->load_at);
        if (!p->load_at) {
            p->load = LOAD_DONE;
            vm_context_reset(vm);
            tunnels_open(vm);
        }
    }
    return p->load == LOAD_DONE;
}
