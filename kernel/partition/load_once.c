/* SPDX-License-Identifier: MIT */
/* load_once.c - in place of load.c without CONFIG_HEALTH: a VM is loaded once, when the board starts, into zeroed
 * memory. */
#include "vm.h"
#include <partition/pt.h>

/* Without CONFIG_PREVIRT patches are not applied, and the instructions that they replace trap. Without tunnel_open.c
 * a VM has only tunnels that it creates. */
__optional u32 patch_step(struct vm *vm, u32 next) { return 0; }
__init_text void load_begin(struct vm *vm)
{
    const struct pt_segment *s = &pt_segments()[vm->conf->first_segment], *end = s + vm->conf->n_segments;

    for (; s < end; s++) {
        u32 *to = (u32 *)(uintptr_t)(vm->base + s->gpa);
        const u32 *from = PT_AT(u32, s->src);
        for (u32 i = 0; i < s->filesz / 4; i++)
            to[i] = from[i];
        code_written(to, s->filesz);
    }
    for (u32 next = 0; (next = patch_step(vm, next));)
        ;
    vm_context_reset(vm);
    guest_tunnels_open(vm);
}

bool load_done(const struct vm *vm) { return true; }
bool load_step(struct vm *vm) { return true; }
