/* SPDX-License-Identifier: MIT */
/*
 * load.c - loads a VM's memory at the start of each run (CONFIG_HEALTH; load_once.c is for VMs with one run): zeros,
 * segments, patches. It works in steps because a core that loads takes no alarm: LOAD_STEP bounds how much this delays
 * a window's edge (docs/windows.md).
 *
 * In the first run the memory is zero already, as all of the board's memory (partition/shared.h). health.c begins later
 * runs.
 */
#include "vm.h"
#include <partition/pt.h>
#include <string.h>

/* Without CONFIG_PREVIRT patches are not applied, and the instructions that they replace trap. Without tunnel_open.c
 * a VM has only tunnels that it creates. */
__optional u32 patch_step(struct vm *vm, u32 next) { return 0; }
void load_begin(struct vm *vm)
{
    vm->part.load = vm->runs > 1 ? LOAD_ZERO : LOAD_COPY;
    vm->part.load_at = 0;
    vm->part.load_segment = 0;
}

bool load_done(const struct vm *vm) { return vm->part.load == LOAD_DONE; }

static void zero(struct vm *vm)
{
    struct partition *p = &vm->part;
    memset((void *)(uintptr_t)(vm->base + p->load_at), 0, LOAD_STEP);
    p->load_at += LOAD_STEP;
    if (p->load_at >= vm->size) {
        p->load = LOAD_COPY;
        p->load_at = 0;
    }
}

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

/* Reset registers, TLB and devices, also in pieces. */
static void reset(struct vm *vm)
{
    struct partition *p = &vm->part;
    if (p->load == LOAD_CLEAR) {
        vm_context_clear(vm, p->load_at++);
        if (p->load_at == CONTEXT_PIECES)
            p->load = LOAD_RESET;
    } else if (p->load == LOAD_RESET) {
        vm_context_reset(vm);
        p->load = LOAD_OPEN;
    } else {
        guest_tunnels_open(vm);
        p->load = LOAD_DONE;
    }
}

bool load_step(struct vm *vm)
{
    struct partition *p = &vm->part;
    if (p->load == LOAD_ZERO) {
        zero(vm);
    } else if (p->load == LOAD_COPY) {
        copy(vm);
    } else if (p->load == LOAD_PATCH) {
        p->load_at = patch_step(vm, p->load_at);
        if (!p->load_at)
            p->load = LOAD_CLEAR;
    } else {
        reset(vm);
    }
    return p->load == LOAD_DONE;
}
