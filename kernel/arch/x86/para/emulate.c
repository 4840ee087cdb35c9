/* SPDX-License-Identifier: MIT */
/*
 * emulate.c - privileged instructions of a guest's kernel, which fault in ring 1. Those that it executes often are
 * calls in a kernel that is built for us; these are what its start and rare paths have.
 *
 * Operands in memory are taken as flat, as every kernel has them here: an address without a segment's base. The worst
 * that another one gets is its own wrong data.
 */
#include "para.h"

#include <arch/cpu.h>
#include <string.h>

#define LONGEST 15u

struct insn {
    u8 code[LONGEST + 1];
    unsigned at; /* of the next byte */
    bool word;   /* operands of 16 bits */
};

static u32 *gpr(struct para_regs *r, unsigned n)
{
    u32 *const place[] = { &r->eax, &r->ecx, &r->edx, &r->ebx, &r->esp, &r->ebp, &r->esi, &r->edi };
    return place[n & 7];
}

/* Fetch the instruction and step over its prefixes. One that goes on in a page that is not there has not been executed.
 */
static bool fetch(struct hal_vcpu *v, struct insn *i)
{
    u32 left = PAGE_SIZE - (v->regs->eip & ~ENTRY_FRAME);
    memset(i, 0, sizeof(*i));
    if (vcpu_read(v, i->code, v->regs->eip, LONGEST) && vcpu_read(v, i->code, v->regs->eip, MIN(left, LONGEST)))
        return false;
    for (; i->at < LONGEST - 4; i->at++) {
        u8 b = i->code[i->at];
        if (b == 0x66)
            i->word = true;
        else if (b != 0x2e && b != 0x36 && b != 0x3e && b != 0x26 && b != 0x64 && b != 0x65)
            break;
    }
    return true;
}

/* The address of an operand in memory; steps over it. */
static u32 operand(struct para_regs *r, struct insn *i)
{
    u32 modrm = i->code[i->at++], mode = modrm >> 6, base = modrm & 7, address = 0, offset;
    if (base == 4) {
        u32 sib = i->code[i->at++], index = sib >> 3 & 7;
        base = sib & 7;
        address = index == 4 ? 0 : *gpr(r, index) << (sib >> 6);
    }
    if (base == 5 && !mode)
        mode = 2;
    else
        address += *gpr(r, base);
    if (mode == 1)
        address += (u32)(s8)i->code[i->at++];
    if (mode == 2) {
        i->at = MIN(i->at, LONGEST - 4);
        memcpy(&offset, &i->code[i->at], 4);
        address += offset;
        i->at += 4;
    }
    return address;
}

/* IN and OUT, of one value: an exit, which ends with vcpu_complete() or vcpu_complete_read(). */
static enum done port(struct hal_vcpu *v, struct insn *i, u8 op, struct vcpu_exit *e)
{
    struct para_regs *r = v->regs;
    e->reason = VCPU_EXIT_PIO;
    e->addr = op & 8 ? (u16)r->edx : i->code[i->at++];
    e->write = op & 2;
    e->size = !(op & 1) ? 1 : i->word ? 2 : 4;
    e->value = e->size == 4 ? r->eax : r->eax & ((1u << 8 * e->size) - 1);
    e->length = (u8)i->at;
    return EXIT;
}

static enum done group7(struct hal_vcpu *v, struct insn *i)
{
    unsigned which = i->code[i->at] >> 3 & 7;
    u8 image[6];
    u32 base;
    if (i->code[i->at] >= 0xc0 || (which != 2 && which != 3 && which != 7))
        return NOT_OURS;
    u32 at = operand(v->regs, i);
    if (which == 7) {
        para_forget(v, at);
        return DONE;
    }
    if (vcpu_read(v, image, at, sizeof(image)))
        return NOT_OURS;
    memcpy(&base, image + 2, 4);
    u32 limit = image[0] | (u32)image[1] << 8;
    if (which == 2)
        para_load_gdt(v, base, limit);
    else
        para_load_idt(v, base, limit);
    return DONE;
}

/* LLDT of nothing, and LTR: the task state's address is in the guest's own table. */
static enum done group6(struct hal_vcpu *v, struct insn *i)
{
    u8 modrm = i->code[i->at++], d[8];
    u32 selector = (u16)*gpr(v->regs, modrm);
    if (modrm < 0xc0)
        return NOT_OURS;
    if ((modrm >> 3 & 7) == 2)
        return selector ? NOT_OURS : DONE;
    if ((modrm >> 3 & 7) != 3 || (selector | 7) > v->gdt_limit || vcpu_read(v, d, v->gdt + (selector & ~7u), 8))
        return NOT_OURS;
    v->task = d[2] | (u32)d[3] << 8 | (u32)d[4] << 16 | (u32)d[7] << 24;
    return DONE;
}

static enum done read_control(struct hal_vcpu *v, struct insn *i)
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
    *gpr(v->regs, modrm) = value;
    return DONE;
}

static enum done write_control(struct hal_vcpu *v, struct insn *i)
{
    u8 modrm = i->code[i->at++];
    u32 value = *gpr(v->regs, modrm);
    switch (modrm >> 3 & 7) {
    case 0: para_set_cr0(v, value); return DONE;
    case 2: shared_set(v, PARA_SHARE_CR2, value); return DONE;
    case 3: para_load_cr3(v, value, 0, 0); return DONE;
    case 4: para_set_cr4(v, value & (CR4_GLOBAL | CR4_LARGE)); return DONE;
    default: return NOT_OURS;
    }
}

/* Debug registers hold nothing: no breakpoints. */
static enum done read_debug(struct hal_vcpu *v, struct insn *i)
{
    u8 modrm = i->code[i->at++], number = modrm >> 3 & 7;
    *gpr(v->regs, modrm) = number == 6 ? 0xffff0ff0 : number == 7 ? 0x400 : 0;
    return DONE;
}

static enum done two_bytes(struct hal_vcpu *v, struct insn *i)
{
    switch (i->code[i->at++]) {
    case 0x00: return group6(v, i);
    case 0x01: return group7(v, i);
    case 0x06: para_set_cr0(v, v->cr0 & ~8u); return DONE; /* CLTS */
    case 0x08:                                             /* INVD, WBINVD: caches are coherent, */
    case 0x09:                                             /* and the kernel's */
    case 0x30: return DONE;                                /* WRMSR: there is none that does anything */
    case 0x20: return read_control(v, i);
    case 0x21: return read_debug(v, i);
    case 0x22: return write_control(v, i);
    case 0x23: i->at++; return DONE;
    case 0x32: v->regs->eax = v->regs->edx = 0; return DONE; /* RDMSR */
    default: return NOT_OURS;
    }
}

/* MOV to SS of a selector for ring 0, as a kernel has it before it knows where it is. */
static enum done move_segment(struct hal_vcpu *v, struct insn *i)
{
    u8 modrm = i->code[i->at++];
    u32 selector = (u16)*gpr(v->regs, modrm);
    if (modrm < 0xc0 || (modrm >> 3 & 7) != 2 || selector & 7)
        return NOT_OURS;
    v->regs->ss = selector | 1;
    return DONE;
}

enum done para_emulate(struct hal_vcpu *v, struct vcpu_exit *e)
{
    struct insn i;
    if (!fetch(v, &i))
        return NOT_OURS;
    u8 op = i.code[i.at++];
    enum done done = DONE;
    switch (op) {
    case 0xfa: shared_set(v, PARA_SHARE_FLAG, 0); break;
    case 0xfb: shared_set(v, PARA_SHARE_FLAG, RFLAGS_IF); break;
    case 0xf4:
        e->reason = VCPU_EXIT_IDLE;
        e->length = (u8)i.at;
        return EXIT;
    case 0xe4 ... 0xe7:
    case 0xec ... 0xef: return port(v, &i, op, e);
    case 0x8e: done = move_segment(v, &i); break;
    case 0x0f: done = two_bytes(v, &i); break;
    default: return NOT_OURS;
    }
    if (done == DONE)
        v->regs->eip += i.at;
    return done;
}

#define FEATURES_NOT 0x42e6u /* of leaf 1, EDX: VME, DE, MSR, PAE, MCE, APIC, MCA are not the guest's */
#define FEATURE_PGE  0x2000u

/* INT of PARA_CPUID. */
void para_cpuid(struct hal_vcpu *v)
{
    struct para_regs *r = v->regs;
    struct cpuid_regs c = cpuid(r->eax, r->ecx);
    if (r->eax == 1)
        c.edx = (c.edx & ~FEATURES_NOT) | FEATURE_PGE;
    r->eax = c.eax;
    r->ebx = c.ebx;
    r->ecx = c.ecx;
    r->edx = c.edx;
}
