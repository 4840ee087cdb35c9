/* SPDX-License-Identifier: MIT */
/*
 * previrt.c - handles a guest that is interrupted in a stub of pre-virtualized code (docs/previrtualization.md).
 *
 * A stub stands for one instruction, so no exception may be delivered inside it. Before the stub's committing store it
 * is undone: the guest goes back to the instruction. After the store it is completed. In both cases the register that
 * the stub borrows gets its value back.
 *
 * Stubs end in slots of 16 words, whose last three words tell how to leave the stub. They are in the guest's memory:
 * wrong words can do to the guest only what it could do itself.
 */
#include <arch/deliver.h>
#include <arch/entry.h>
#include <arch/previrt.h>
#include <arch/regs.h>
#include <partition/partition.h>
#include <wcet.h>

/* Without CONFIG_FAST system calls go to the guest's handler. */
__optional void previrt_handler(struct vm *vm) {}
__optional bool previrt_retreat(struct vm *vm) { return false; }

#define SLOT_WORDS    16
#define SLOT_DISTANCE 13 /* from the slot to the instruction */
#define SLOT_INSN     14
#define SLOT_INFO     15
#define INFO_SAVED    0x10000 /* scratch[0] holds the borrowed register's value */

void previrt_reset(struct vm *vm)
{
    bool has = vm->conf->n_patches && vm->size >= PREVIRT_AREA;
    vm->stubs = has ? MIN(vm->size, PREVIRT_REACH) - PREVIRT_AREA : PREVIRT_NONE;
    if (has)
        previrt_handler(vm);
}

/* The table may hold any instruction. After its emulation another VM may be current on this core. */
void previrt_table(struct vm *vm, u32 n)
{
    const u32 *word = (const u32 *)(uintptr_t)(vm->base + vm->stubs + (n & ~7u)), *end = word + CALL_LONGEST;
    u32 next = vm->ctx.pc;
    do {
        LOOP_BOUND(CALL_LONGEST);
        emulate(vm, *word++);
        next += 4;
    } while (word < end && *word && core.current == vm && vm->ctx.pc == next);
}

u32 previrt_page(struct vm *vm, u32 ea)
{
    u32 gpa = ea & 0x3ffff000;
    return gpa - vm->stubs < PREVIRT_AREA ? (vm->base + gpa) | TLBLO_EX : 0;
}

/* The slot that the guest's pc is in, if the guest runs in privileged mode (translated or not: 1 GiB apart). */
static const u32 *slot_of(struct vm *vm)
{
    u32 gpa = vm->ctx.pc & 0x3fffffff;
    if (gpa - vm->stubs - PREVIRT_TABLE >= PREVIRT_AREA - PREVIRT_TABLE || (regs_of(vm)->msr & MSR_PR))
        return NULL;
    return (const u32 *)(uintptr_t)(vm->base + (gpa & ~63u));
}

/* Leave the stub: undo it before its committing store, else complete it. Returns whether it was undone. */
static bool leave(struct vm *vm, const u32 *slot)
{
    u32 at = vm->ctx.pc / 4 % SLOT_WORDS, info = slot[SLOT_INFO];
    bool before = at <= (info & 0xff);
    if (at && (info & INFO_SAVED))
        vm->ctx.gpr[info >> 8 & 31] = regs_of(vm)->scratch[0];
    vm->ctx.pc = (vm->ctx.pc & ~63u) + slot[SLOT_DISTANCE] + (before ? 0 : 4);
    return before;
}

void previrt_leave_stub(struct vm *vm)
{
    const u32 *slot = slot_of(vm);
    if (slot)
        leave(vm, slot);
    else
        previrt_retreat(vm);
}

bool previrt_trap(struct vm *vm)
{
    const u32 *slot = slot_of(vm);
    if (!slot)
        return false;
    if (leave(vm, slot)) {
        /* An mtmsr that changes more than EE. Otherwise something is pending, and vm_exit() delivers it. */
        regs_of(vm)->msr = vm->ctx.gpr[slot[SLOT_INSN] >> 21 & 31] & MSR_VALID;
        step(vm);
    }
    return true;
}
