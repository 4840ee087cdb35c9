/* SPDX-License-Identifier: MIT */
/*
 * mmio.c - loads and stores of a guest that no memory answers: decode the instruction, act for it.
 *
 * Known are the integer loads and stores of one register: D-form, indexed, with update, byte-reversed.
 * A device behind anything else (lmw, string, lwarx, cache instructions) is a fault of the guest.
 */
#include "dev.h"
#include <arch/deliver.h>
#include <arch/mmu.h>

/* The D-form opcodes 32..45 say it all: lwz lwzu lbz lbzu stw stwu stb stbu lhz lhzu lha lhau sth sthu. */
#define OP_FIRST   32
#define OP_LAST    45
#define OP_UPDATE  1
#define OP_STORE   4
#define OP_IS_LHA(op) (((op) & ~1u) == 42)

/* Primary opcode 31: extended opcodes 32 n + 23 are lwzx .. in the same order, 32 n + 512 + 22 reverse the bytes. */
static u32 opcode(u32 insn, bool *reversed)
{
    u32 op = insn >> 26, xo = insn >> 1 & 0x3ff;
    *reversed = false;
    if (op != 31)
        return op;
    *reversed = (xo & 31) == 22;
    return xo == 32 * (xo >> 5) + 23 ? OP_FIRST + (xo >> 5) : *reversed && !(xo >> 5 & 3) ? xo / 32 + OP_FIRST - 16 : 0;
}

static u32 size_of(u32 op) { return op & 8 ? 2 : op & 2 ? 1 : 4; }
static u32 reverse(u32 v, u32 size)
{
    return size == 2 ? (v >> 8 & 0xff) | (v & 0xff) << 8 : size == 4 ? __builtin_bswap32(v) : v;
}

bool mmio_read(struct vm *vm, u32 gpa, u32 size, u32 *value)
{
    u32 reg = gpa - UART_GPA;
    if (reg < UART_SIZE && size == 1) {
        *value = uart_read(vm, reg);
        return true;
    }
    const u8 *p = guest_pa(vm, gpa, size); /* of a page that the hardware cannot show */
    if (p)
        for (*value = 0; size; size--)
            *value = *value << 8 | *p++;
    return p;
}

bool mmio_write(struct vm *vm, u32 gpa, u32 size, u32 value)
{
    u32 reg = gpa - UART_GPA;
    if (reg < UART_SIZE && size == 1) {
        uart_write(vm, reg, value);
        return true;
    }
    u8 *p = guest_pa(vm, gpa, size);
    if (p)
        while (size--)
            *p++ = value >> (8 * size);
    return p;
}

void mmio(struct vm *vm, u32 gpa, u32 ea, bool store)
{
    u32 left, value = 0, *gpr = vm->ctx.gpr;
    const u32 *at = guest_ea(vm, vm->ctx.pc, true, &left);
    bool reversed, done = false;
    u32 insn = at ? *at : 0, op = opcode(insn, &reversed), size = size_of(op), rt = insn >> 21 & 31;

    if (op >= OP_FIRST && op <= OP_LAST && !(op & OP_STORE) == !store && !(gpa & (size - 1))) {
        if (store)
            done = mmio_write(vm, gpa, size, reversed ? reverse(gpr[rt], size) : gpr[rt]);
        else if ((done = mmio_read(vm, gpa, size, &value)))
            gpr[rt] = reversed ? reverse(value, size) : OP_IS_LHA(op) && !reversed ? (u32)(s16)value : value;
    }
    if (!done) {
        vm_event(vm, PT_ON_FAULT, VEC_DTLB, gpa);
        return;
    }
    if ((op & OP_UPDATE) && !reversed)
        gpr[insn >> 16 & 31] = ea;
    step(vm);
}

u32 dcr_read(struct vm *vm, u32 dcr)
{
    u32 value = 0;
    if (dcr - DCR_UIC <= UIC_VCR)
        return vuic_read(vm, dcr - DCR_UIC);
    lent_dcr(vm, dcr, false, &value);
    return value;
}

void dcr_write(struct vm *vm, u32 dcr, u32 value)
{
    if (dcr - DCR_UIC <= UIC_VCR)
        vuic_write(vm, dcr - DCR_UIC, value);
    else
        lent_dcr(vm, dcr, true, &value);
}
