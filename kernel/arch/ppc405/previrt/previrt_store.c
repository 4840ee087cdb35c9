/* SPDX-License-Identifier: MIT */
/* previrt_store.c - calls of pre-virtualized code without CONFIG_FAST; with it previrt_call.S serves them. */
#include <arch/deliver.h>
#include <arch/entry.h>
#include <arch/previrt.h>

#define MTPID 0x7c11eba6u /* mtspr PID, r0; 4 n in the call's number is n in the field at bit 21 */

bool previrt_store(struct vm *vm, u32 ea)
{
    struct regpage *regs = regs_of(vm);
    u32 call = ea - (u32)PREVIRT_CALLS;

    if (call >= 0x1000 || (vm->stubs & PREVIRT_NOT) || (regs->msr & MSR_PR))
        return false;
    if (call == CALL_RFI) {
        regs->msr = regs->srr1 & MSR_VALID;
        vm->ctx.pc = regs->srr0;
    } else if (call - CALL_MTPID < 4 * 32)
        emulate(vm, MTPID | (call - CALL_MTPID) << 19);
    else if (call >= CALL_TLBWE)
        previrt_table(vm, call >= CALL_TABLE ? call - CALL_TABLE : call & 0xff);
    else
        return false;
    return true;
}
