/* SPDX-License-Identifier: MIT */
/*
 * mmio.c - loads and stores of a guest at addresses without memory: decodes the instruction and executes it on the
 * device.
 *
 * It knows the integer loads and stores of one register: D-form, indexed, with update, byte-reversed. Any other
 * instruction (lmw, string, lwarx, cache instructions) is a fault of the guest. The devices are the serial port, which
 * like the board's answers an access of any width with one register in the low byte, and the bells of tunnels, which
 * take stores only.
 */
#include "dev.h"
#include <arch/deliver.h>
#include <arch/mmu.h>
#include <arch/tlb_hw.h>

__optional bool tunnel_bell(struct vm *vm, u32 gpa) { return false; } /* without CONFIG_IPCM */

/* The D-form opcodes 32..45 in order: lwz lwzu lbz lbzu stw stwu stb stbu lhz lhzu lha lhau sth sthu. */
#define OP_FIRST  32
#define OP_LAST   45
#define OP_UPDATE 1
#define OP_STORE  4

/*
 * Return the D-form opcode of a load or store, else a number outside OP_FIRST..OP_LAST. Primary opcode 31: extended
 * opcodes 32 n + 23 are lwzx, lwzux .. in the same order, and 32 n + 512 + 22 are lwbrx, stwbrx, lhbrx, sthbrx at the
 * places of lwz, stw, lhz, sth. `shift`: position of the low byte in the register.
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

/*
 * Return the instruction at the guest's pc, translated by the hardware's entry. Returns 0, which is no load or store,
 * if the entry is gone or leads outside the guest's own memory: no real address of the guest's choice is read.
 */
static u32 instruction(struct vm *vm)
{
    int slot = hw_tlb_search(vm->ctx.pc);
    if (slot < 0)
        return 0;
    u32 mask = ~0u << (10 + 2 * TLBHI_SIZE_OF(hw_tlb_tag((u32)slot)));
    u32 offset = ((hw_tlb_lo((u32)slot) & mask) | (vm->ctx.pc & ~mask)) - vm->base;
    return offset < vm->size ? *(const volatile u32 *)(uintptr_t)(vm->base + offset) : 0;
}

void mmio(struct vm *vm, u32 gpa, u32 ea)
{
    u32 insn = instruction(vm), shift, op = opcode(insn, &shift), reg = gpa - UART_GPA;
    u32 *rt = &vm->ctx.gpr[insn >> 21 & 31];

    step(vm); /* before the event, which may give the core away */
    if (op < OP_FIRST || op > OP_LAST || (reg >= UART_SIZE && !((op & OP_STORE) && tunnel_bell(vm, gpa)))) {
        partition_event(vm, PT_ON_FAULT, VEC_DTLB,
                        gpa); /* with IGNORE the guest goes on after an access that did nothing */
    } else {
        if (reg >= UART_SIZE) {
            /* tunnel_bell() has rung */
        } else if (op & OP_STORE)
            uart_write(vm, reg, *rt >> shift);
        else
            *rt = uart_read(vm, reg) << shift;
        if (op & OP_UPDATE)
            vm->ctx.gpr[insn >> 16 & 31] = ea;
    }
}
