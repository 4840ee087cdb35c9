/* SPDX-License-Identifier: MIT */
/*
 * previrt.c - apply the patches of a pre-virtualized image (docs/previrtualization.md): the tool has found the
 * privileged instructions, the file stays what the user gave, and the words change in memory when it is loaded.
 */
#include "vm.h"
#include <partition/pt.h>
#include <wcet.h>

#define PATCH_STEP 8u

u32 patch_step(struct vm *vm, u32 next)
{
    const struct pt_patch *patch = PT_AT(struct pt_patch, vm->conf->patches);
    u32 end = MIN(next + PATCH_STEP, vm->conf->n_patches);

    for (; next < end; next++) {
        LOOP_BOUND(PATCH_STEP);
        u32 *word = (u32 *)(uintptr_t)(vm->base + patch[next].gpa);
        if (patch[next].gpa > vm->size - 4 || patch[next].gpa % 4)
            continue; /* not this VM's memory; the table's check does not look at each patch */
        *word = patch[next].word;
        code_written(word, 4);
    }
    return next < vm->conf->n_patches ? next : 0;
}
