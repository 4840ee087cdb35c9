/* SPDX-License-Identifier: MIT */
/*
 * mmio.c - loads and stores of a guest that no memory answers: decode the instruction, act for it.
 *
 * Known are the integer loads and stores of one register: D-form, indexed, with update, byte-reversed.
 * A device behind anything else (lmw, string, lwarx, cache instructions) is a fault of the guest.
 * Such devices are the serial port, which like the board's answers an access of any width
 * with one register in the low byte, and the bells of tunnels, which know stores only.
 */
#include "dev.h"
#include <arch/deliver.h>
#include <arch/mmu.h>
#include <arch/tlb_hw.h>

/* The D-form opcodes 32..45 say it all: lwz lwzu lbz lbzu stw stwu stb stbu lhz lhzu lha lhau sth sthu. */
#define OP_FIRST  32
#define OP_LAST   45
#define OP_UPDATE 1
#define OP_STORE  4

/*
 * Primary opcode 31: extended opcodes 32 n + 23 are lwzx, lwzux .. in the same order, and 32 n + 512 + 22 are lwbrx,
 * stwbrx, lhbrx, sthbrx at the places of lwz, stw, lhz, sth. `shift`: where the low byte of the register goes.
 */
static u32 opcode(u32 insn, u32 *shift)
{
    u32 op = insn >> 26, form = insn >> 1 & 31;
    *shift = 0;
    if (op != 31)
        return op;
    op = OP_FIRST + (insn >> 6 & 31);
    if (form == 22) {
        op -= 16;
        *shift = op & 8 ? 8 : 24;
        return op;
    }
    return form == 23 ? op : 0;
}

void mmio(struct vm *vm, u32 gpa, u32 ea)
{
    u32 insn = hw_guest_word(vm->ctx.pc), shift, op = opcode(insn, &shift), reg = gpa - UART_GPA;
    u32 *rt = &vm->ctx.gpr[insn >> 21 & 31];

    if (op < OP_FIRST || op > OP_LAST || (reg >= UART_SIZE && !((op & OP_STORE) && tunnel_bell(vm, gpa)))) {
        vm_event(vm, PT_ON_FAULT, VEC_DTLB, gpa); /* who ignores that goes on behind an access that did nothing */
    } else {
        if (reg >= UART_SIZE) {
            /* rung */
        } else if (op & OP_STORE)
            uart_write(vm, reg, *rt >> shift);
        else
            *rt = uart_read(vm, reg) << shift;
        if (op & OP_UPDATE)
            vm->ctx.gpr[insn >> 16 & 31] = ea;
    }
    step(vm);
}
