/* SPDX-License-Identifier: MIT */
/*
 * previrt.c - a guest is interrupted in a stub of pre-virtualized code (docs/previrtualization.md).
 *
 * A stub stands for one instruction, so the guest must never be seen inside it: whenever an
 * exception is delivered there, the stub is taken back (before its committing store) or is
 * as good as done (after it), and the one register that it borrows gets its value back.
 * Stubs end in 16-word slots; the last three words of a slot say how.  They are the guest's memory: what
 * is read there can only do to the guest what it could do itself.
 */
#include <arch/deliver.h>
#include <arch/entry.h>
#include <arch/previrt.h>
#include <arch/regs.h>
#include <partition/partition.h>
#include <wcet.h>

/* Without CONFIG_FAST they go to the handler. */
__optional void previrt_handler(struct vm *vm) {}
__optional bool previrt_retreat(struct vm *vm) { return false; }

#define SLOT_WORDS    16
#define SLOT_DISTANCE 13 /* from the slot to the instruction */
#define SLOT_INSN     14
#define SLOT_INFO     15
#define INFO_SAVED    0x10000 /* the borrowed register's value waits in scratch[0] */

void previrt_reset(struct vm *vm)
{
    bool has = vm->conf->n_patches && vm->size >= PREVIRT_AREA;
    vm->stubs = has ? MIN(vm->size, PREVIRT_REACH) - PREVIRT_AREA : PREVIRT_NONE;
    if (has)
        previrt_handler(vm);
}

/* What is there can be any instruction, and its emulation end with another VM on this core. */
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

/* The slot that the guest's pc is in, if it runs its privileged mode there (translated or not: 1 GiB apart). */
static const u32 *slot_of(struct vm *vm)
{
    u32 gpa = vm->ctx.pc & 0x3fffffff;
    if (gpa - vm->stubs - PREVIRT_TABLE >= PREVIRT_AREA - PREVIRT_TABLE || (regs_of(vm)->msr & MSR_PR))
        return NULL;
    return (const u32 *)(uintptr_t)(vm->base + (gpa & ~63u));
}

static bool settle(struct vm *vm, const u32 *slot)
{
    u32 at = vm->ctx.pc / 4 % SLOT_WORDS, info = slot[SLOT_INFO];
    bool before = at <= (info & 0xff);
    if (at && (info & INFO_SAVED))
        vm->ctx.gpr[info >> 8 & 31] = regs_of(vm)->scratch[0];
    vm->ctx.pc = (vm->ctx.pc & ~63u) + slot[SLOT_DISTANCE] + (before ? 0 : 4);
    return before;
}

void previrt_settle(struct vm *vm)
{
    const u32 *slot = slot_of(vm);
    if (slot)
        settle(vm, slot);
    else
        previrt_retreat(vm);
}

bool previrt_trap(struct vm *vm)
{
    const u32 *slot = slot_of(vm);
    if (!slot)
        return false;
    if (settle(vm,
               slot)) { /* an mtmsr that changes more than EE; else something is pending, and vm_exit() delivers it */
        regs_of(vm)->msr = vm->ctx.gpr[slot[SLOT_INSN] >> 21 & 31] & MSR_VALID;
        step(vm);
    }
    return true;
}
