/* SPDX-License-Identifier: MIT */
/* previrt_handler.c - delivers system calls of pre-virtualized kernels to a translated copy of the handler's
 * beginning (CONFIG_FAST). */
#include <arch/entry.h>
#include <arch/previrt.h>
#include <arch/regs.h>
#include <partition/pt.h>

void previrt_handler(struct vm *vm)
{
    const struct pt_patch *patch = PT_AT(struct pt_patch, vm->conf->patches);
    bool first = vm->conf->n_patches > 1 && patch->gpa == PREVIRT_HANDLER;
    vm->handler = first ? patch[0].word : 0;
    vm->handler_msr = first ? patch[1].word & MSR_VALID & ~MSR_PR : 0;
}

bool previrt_retreat(struct vm *vm)
{
    struct regpage *regs = regs_of(vm);
    if (!vm->handler || vm->ctx.pc - vm->handler >= 8 || (regs->msr & MSR_PR))
        return false;
    regs->msr = regs->srr1 & MSR_KEPT;
    vm->ctx.pc = (regs->evpr & 0xffff0000) | VEC_SC;
    return true;
}
