/* SPDX-License-Identifier: MIT */
/*
 * previrt.c - applies the patches of a pre-virtualized image (docs/previrtualization.md). The tool has found the
 * privileged instructions. The file stays as the user gave it; the words change in memory when it is loaded.
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
            continue; /* outside this VM's memory; the check of the table does not check each patch */
        *word = patch[next].word;
        code_written(word, 4);
    }
    return next < vm->conf->n_patches ? next : 0;
}
