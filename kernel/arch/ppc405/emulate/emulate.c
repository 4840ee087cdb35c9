/* SPDX-License-Identifier: MIT */
/*
 * emulate.c - emulates the privileged instructions that emulate.S does not: rare ones, and rare cases of frequent ones.
 */
#include <arch/cpu.h>
#include <arch/deliver.h>
#include <arch/devices.h>
#include <arch/emulate_hash.h>
#include <arch/entry.h>
#include <arch/mmu.h>
#include <arch/previrt.h>
#include <arch/upcalls.h>

__optional bool previrt_trap(struct vm *vm) { return false; } /* without CONFIG_PREVIRT */

#define FIELD_RT(insn)  ((insn) >> 21 & 31)
#define FIELD_RA(insn)  ((insn) >> 16 & 31)
#define FIELD_RB(insn)  ((insn) >> 11 & 31)
#define FIELD_SPR(insn) (FIELD_RB(insn) << 5 | FIELD_RA(insn))
#define FIELD_XO(insn)  ((insn) >> 1 & 0x3ff)

void exit_program(struct vm *vm)
{
    u32 esr = mfspr(SPR_ESR);
    if (!(esr & ESR_PTR) || !previrt_trap(vm))
        deliver_program(vm, esr);
}

static void rfci(struct vm *vm)
{
    struct regpage *regs = regs_of(vm);
    quirk_srr23_load(&regs->srr2, &regs->srr3);
    regs->msr = regs->srr3 & MSR_VALID;
    vm->ctx.pc = regs->srr2 & ~3u;
}

static void tlbsx(struct vm *vm, u32 insn)
{
    u32 *gpr = vm->ctx.gpr;
    int index = guest_tlbsx(vm, (FIELD_RA(insn) ? gpr[FIELD_RA(insn)] : 0) + gpr[FIELD_RB(insn)]);
    if (index >= 0)
        gpr[FIELD_RT(insn)] = (u32)index;
    if (insn & 1) /* CR0: EQ found, SO from XER */
        vm->ctx.cr = (vm->ctx.cr & 0x0fffffff) | (index >= 0 ? 0x20000000 : 0) | (vm->ctx.xer >> 31 << 28);
}

/* Emulate an instruction. The hardware has reported it as privileged, so the extended opcode identifies it. */
static bool emulate_run(struct vm *vm, u32 insn)
{
    u32 *rt = &vm->ctx.gpr[FIELD_RT(insn)], ra = vm->ctx.gpr[FIELD_RA(insn)];

    switch (FIELD_XO(insn)) {
    case 51: rfci(vm); return true;
    case 339: return spr_read(vm, FIELD_SPR(insn), rt);
    case 467: return spr_write(vm, FIELD_SPR(insn), *rt);
    case 323: *rt = dcr_read(vm, FIELD_SPR(insn)); break;
    case 451: dcr_write(vm, FIELD_SPR(insn), *rt); break;
    case 946: *rt = guest_tlbre(vm, ra & 63, FIELD_RB(insn)); break;
    case 978: guest_tlbwe(vm, ra & 63, FIELD_RB(insn), *rt); break;
    case 914: tlbsx(vm, insn); break;
    case 370: guest_tlbia(vm); break;
    case 486: *rt = 0; break; /* dcread: the virtual cache is always empty */
    case 454:                 /* dccci */
    case 966:                 /* iccci */
    case 998:                 /* icread */
    case 470:                 /* dcbi */
    case 566: break;          /* tlbsync */
    default: return false;    /* privileged, but not an instruction of this processor */
    }
    return true;
}

void emulate(struct vm *vm, u32 insn)
{
    vm->ctx.pc += 4;
    if (!emulate_run(vm, insn)) {
        vm->ctx.pc -= 4;
        deliver_program(vm, ESR_PPR);
    }
}
