/* SPDX-License-Identifier: MIT */
/*
 * emulate.c - privileged instructions of a guest's kernel, which fault in ring 1. Those that it executes often are
 * calls in a kernel that is built for us; these are what its start and rare paths have.
 *
 * Operands in memory are taken as flat, as every kernel has them here: an address without a segment's base. The worst
 * that another one gets is its own wrong data.
 */
#include "para.h"

#include <string.h>

u32 *para_gpr(struct para_regs *r, unsigned n)
{
    u32 *const place[] = { &r->eax, &r->ecx, &r->edx, &r->ebx, &r->esp, &r->ebp, &r->esi, &r->edi };
    return place[n & 7];
}

/* Instructions of one byte, prefixes among them (Intel SDM, volume 2, A.3). */
enum {
    CS_PREFIX = 0x2e,
    DS_PREFIX = 0x3e,
    ES_PREFIX = 0x26,
    FS_PREFIX = 0x64,
    GS_PREFIX = 0x65,
    SS_PREFIX = 0x36,
    WORD_PREFIX = 0x66, /* operands of 16 bits */
    TWO_BYTES = 0x0f,
    INS_BYTE = 0x6c,
    OUTS_WORD = 0x6f,
    MOV_TO_SEGMENT = 0x8e,
    PORT_AT_BYTE = 0xe4, /* IN and OUT: bit 0: more than a byte, bit 1: OUT, bit 3: the port is in DX */
    PORT_AT_DX = 0xec,
    HLT = 0xf4,
    CLI = 0xfa,
    STI = 0xfb,
};

/* The second byte behind TWO_BYTES. */
enum {
    GROUP_6 = 0x00,
    GROUP_7 = 0x01,
    CLTS = 0x06,
    INVD = 0x08,
    WBINVD = 0x09,
    READ_CONTROL = 0x20,
    READ_DEBUG = 0x21,
    WRITE_CONTROL = 0x22,
    WRITE_DEBUG = 0x23,
    WRMSR = 0x30,
    RDMSR = 0x32,
};

/* What the second byte's field says of a group. */
enum { LLDT = 2, LTR = 3 };              /* GROUP_6 */
enum { LGDT = 2, LIDT = 3, INVLPG = 7 }; /* GROUP_7 */

bool para_fetch(struct hal_vcpu *v, struct para_insn *i)
{
    u32 left = PAGE_SIZE - (v->regs->eip & ~ENTRY_FRAME);
    memset(i, 0, sizeof(*i));
    if (vcpu_read(v, i->code, v->regs->eip, INSN_LONGEST) &&
        vcpu_read(v, i->code, v->regs->eip, MIN(left, INSN_LONGEST)))
        return false;
    for (; i->at < INSN_LONGEST - 4; i->at++) {
        u8 b = i->code[i->at];
        if (b == WORD_PREFIX)
            i->word = true;
        else if (b != CS_PREFIX && b != SS_PREFIX && b != DS_PREFIX && b != ES_PREFIX && b != FS_PREFIX &&
                 b != GS_PREFIX)
            break;
    }
    return true;
}

u32 para_operand(struct para_regs *r, struct para_insn *i)
{
    u32 modrm = i->code[i->at++], mode = modrm >> 6, base = modrm & 7, address = 0, offset;
    if (base == 4) {
        u32 sib = i->code[i->at++], index = sib >> 3 & 7;
        base = sib & 7;
        address = index == 4 ? 0 : *para_gpr(r, index) << (sib >> 6);
    }
    if (base == 5 && !mode)
        mode = 2;
    else
        address += *para_gpr(r, base);
    if (mode == 1)
        address += (u32)(s8)i->code[i->at++];
    if (mode == 2) {
        i->at = MIN(i->at, INSN_LONGEST - 4);
        memcpy(&offset, &i->code[i->at], 4);
        address += offset;
        i->at += 4;
    }
    return address;
}

/* IN and OUT, of one value: an exit, which ends with vcpu_complete() or vcpu_complete_read(). */
static enum done port(struct hal_vcpu *v, struct para_insn *i, u8 op, struct vcpu_exit *e)
{
    struct para_regs *r = v->regs;
    e->reason = VCPU_EXIT_PIO;
    e->addr = op & 8 ? (u16)r->edx : i->code[i->at++];
    e->write = op & 2;
    e->size = !(op & 1) ? 1 : i->word ? 2 : 4;
    e->value = e->size == 4 ? r->eax : r->eax & ((1u << 8 * e->size) - 1);
    e->length = (u8)i->at;
    v->load = &r->eax;
    v->load_bytes = e->size;
    return EXIT;
}

static enum done group7(struct hal_vcpu *v, struct para_insn *i)
{
    unsigned which = i->code[i->at] >> 3 & 7;
    u8 image[6];
    u32 base;
    if (i->code[i->at] >= 0xc0 || (which != LGDT && which != LIDT && which != INVLPG))
        return NOT_OURS;
    u32 at = para_operand(v->regs, i);
    if (which == INVLPG) {
        para_forget(v, at);
        return DONE;
    }
    if (vcpu_read(v, image, at, sizeof(image)))
        return NOT_OURS;
    memcpy(&base, image + 2, 4);
    u32 limit = image[0] | (u32)image[1] << 8;
    if (which == LGDT)
        para_load_gdt(v, base, limit);
    else
        para_load_idt(v, base, limit);
    return DONE;
}

/* LLDT of nothing, and LTR: the task state's address is in the guest's own table. */
static enum done group6(struct hal_vcpu *v, struct para_insn *i)
{
    u8 modrm = i->code[i->at++], d[8];
    u32 selector = (u16)*para_gpr(v->regs, modrm);
    if (modrm < 0xc0)
        return NOT_OURS;
    if ((modrm >> 3 & 7) == LLDT)
        return selector ? NOT_OURS : DONE;
    if ((modrm >> 3 & 7) != LTR || (selector | 7) > v->gdt_limit || vcpu_read(v, d, v->gdt + (selector & ~7u), 8))
        return NOT_OURS;
    v->task = d[2] | (u32)d[3] << 8 | (u32)d[4] << 16 | (u32)d[7] << 24;
    return DONE;
}

static enum done read_control(struct hal_vcpu *v, struct para_insn *i)
{
    u8 modrm = i->code[i->at++];
    u32 value;
    switch (modrm >> 3 & 7) {
    case 0: value = v->cr0; break;
    case 2: value = shared_get(v, PARA_SHARE_CR2); break;
    case 3: value = v->cr3; break;
    case 4: value = v->cr4; break;
    default: return NOT_OURS;
    }
    *para_gpr(v->regs, modrm) = value;
    return DONE;
}

static enum done write_control(struct hal_vcpu *v, struct para_insn *i)
{
    u8 modrm = i->code[i->at++];
    u32 value = *para_gpr(v->regs, modrm);
    switch (modrm >> 3 & 7) {
    case 0: para_set_cr0(v, value); return DONE;
    case 2: shared_set(v, PARA_SHARE_CR2, value); return DONE;
    case 3: para_load_cr3(v, value, 0, 0); return DONE;
    case 4: para_set_cr4(v, value & (CR4_GLOBAL | CR4_LARGE)); return DONE;
    default: return NOT_OURS;
    }
}

/* Debug registers hold nothing: no breakpoints. */
static enum done read_debug(struct hal_vcpu *v, struct para_insn *i)
{
    u8 modrm = i->code[i->at++], number = modrm >> 3 & 7;
    *para_gpr(v->regs, modrm) = number == 6 ? 0xffff0ff0 : number == 7 ? 0x400 : 0;
    return DONE;
}

static enum done two_bytes(struct hal_vcpu *v, struct para_insn *i)
{
    switch (i->code[i->at++]) {
    case GROUP_6: return group6(v, i);
    case GROUP_7: return group7(v, i);
    case CLTS: para_set_cr0(v, v->cr0 & ~8u); return DONE;
    case INVD: /* caches are coherent, and the kernel's */
    case WBINVD:
    case WRMSR: return DONE; /* there is none that does anything */
    case READ_CONTROL: return read_control(v, i);
    case READ_DEBUG: return read_debug(v, i);
    case WRITE_CONTROL: return write_control(v, i);
    case WRITE_DEBUG: i->at++; return DONE;
    case RDMSR: v->regs->eax = v->regs->edx = 0; return DONE;
    default: return NOT_OURS;
    }
}

/* MOV to SS of a selector for ring 0, as a kernel has it before it knows where it is. */
static enum done move_segment(struct hal_vcpu *v, struct para_insn *i)
{
    u8 modrm = i->code[i->at++];
    u32 selector = (u16)*para_gpr(v->regs, modrm);
    if (modrm < 0xc0 || (modrm >> 3 & 7) != 2 || selector & 7)
        return NOT_OURS;
    v->regs->ss = selector | 1;
    return DONE;
}

enum done para_emulate(struct hal_vcpu *v, struct vcpu_exit *e)
{
    struct para_insn i;
    if (!para_fetch(v, &i))
        return NOT_OURS;
    u8 op = i.code[i.at++];
    enum done done = DONE;
    switch (op) {
    case CLI: shared_set(v, PARA_SHARE_FLAG, 0); break;
    case STI:
        shared_set(v, PARA_SHARE_FLAG, RFLAGS_IF);
        if (i.code[i.at] != HLT)
            break;
        i.at++; /* an interrupt comes behind the instruction after STI, which in a kernel that idles is this one */
        /* fall through */
    case HLT:
        e->reason = VCPU_EXIT_IDLE;
        e->length = (u8)i.at;
        return EXIT;
    case INS_BYTE ... OUTS_WORD: return para_stand_in(v, &i, op);
    case PORT_AT_BYTE ... PORT_AT_BYTE + 3:
    case PORT_AT_DX ... PORT_AT_DX + 3: return port(v, &i, op, e);
    case MOV_TO_SEGMENT: done = move_segment(v, &i); break;
    case TWO_BYTES: done = two_bytes(v, &i); break;
    default: return NOT_OURS;
    }
    if (done == DONE)
        v->regs->eip += i.at;
    return done;
}
