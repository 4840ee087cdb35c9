/* SPDX-License-Identifier: MIT */
/*
 * access.c - device accesses that need the guest's instruction or its memory: MMIO
 * (nested page faults where no RAM is) and string port I/O.
 *
 * One exit does a bounded piece: one instruction, one iteration of a repeated MMIO
 * string, STRING_CHUNK iterations of INS or OUTS; then the guest executes the
 * instruction again for the rest, and the kernel takes its interrupts in between.
 */
#include <arch/cpu.h>
#include <arch/trap.h>
#include <core/log.h>
#include <errors.h>
#include <string.h>
#include "pc.h"

#define STRING_CHUNK 64
#define ATTR_LONG    (1u << 9)
#define ATTR_BIG     (1u << 10)
#define PF_PRESENT   1u
#define PF_RESERVED  8u
#define NPF_FETCH    (1ul << 4)
#define NPF_TABLES   (1ul << 33)

static struct guest_paging paging_of(const struct pc_vcpu *v)
{
    const struct vmcb *b = v->vcpu.hal.vmcb;
    return (struct guest_paging){ &v->vcpu.vm->memory, b->cr0, b->cr3, b->cr4, b->efer, b->cpl == 3 };
}

static bool in_64_bits(const struct vmcb *b) { return b->efer & EFER_LMA && b->cs.attributes & ATTR_LONG; }

static void fill_cpu(struct pc_vcpu *v, struct emulate_cpu *c)
{
    struct hal_vcpu *h = &v->vcpu.hal;
    const struct vmcb *b = h->vmcb;
    memcpy(c->gpr, h->regs, sizeof(c->gpr));
    c->gpr[RAX] = b->rax;
    c->gpr[RSP] = b->rsp;
    c->rip = b->rip;
    c->rflags = b->rflags;
    for (unsigned i = 0; i < ARRAY_SIZE(c->segment_base); i++)
        c->segment_base[i] = vmcb_segments(b)[i].base;
    c->bits = in_64_bits(b) ? 64 : b->cs.attributes & ATTR_BIG ? 32 : 16;
    c->paging = paging_of(v);
}

static void take_cpu(struct pc_vcpu *v, const struct emulate_cpu *c)
{
    struct hal_vcpu *h = &v->vcpu.hal;
    memcpy(h->regs, c->gpr, sizeof(c->gpr));
    h->vmcb->rax = c->gpr[RAX];
    h->vmcb->rsp = c->gpr[RSP];
    h->vmcb->rip = c->rip;
    h->vmcb->rflags = c->rflags;
    h->vmcb->shadow = 0;
}

static void page_fault(struct pc_vcpu *v, u64 va, bool write)
{
    struct vmcb *b = v->vcpu.hal.vmcb;
    b->cr2 = va;
    vcpu_dirty(&v->vcpu.hal, CLEAN_CR2);
    vcpu_inject_exception(&v->vcpu.hal, VEC_PF, true, (write ? 2 : 0) | (b->cpl == 3 ? 4 : 0));
}

/* A word about the first: a guest that gets an exception for this is one that we might learn to run. */
static void tell(struct pc_vcpu *v, const char *what)
{
    if (!v->told)
        printk("%s: vcpu %u %s, rip %lx\n", v->vcpu.vm->conf->name, v->vcpu.id, what, v->vcpu.hal.vmcb->rip);
    v->told = true;
}

static bool is_lapic(const struct pc_vcpu *v, gpa_t gpa)
{
    return gpa - LAPIC_BASE < PAGE_SIZE && (v->lapic.base >> 10 & 3) == 2;
}

static u64 mmio_read(struct pc_vcpu *v, gpa_t gpa, unsigned size)
{
    u64 value = 0;
    if (!is_lapic(v, gpa))
        return io_read(v->vcpu.vm, &v->vcpu.vm->mmio, gpa, size);
    lapic_read(v, gpa >> 4 & 0xff, &value);
    return value >> (gpa & 3) * 8;
}

static bool mmio_write(struct pc_vcpu *v, gpa_t gpa, unsigned size, u64 value)
{
    if (!is_lapic(v, gpa))
        return io_write(v->vcpu.vm, &v->vcpu.vm->mmio, gpa, size, value);
    if (!(gpa & 15) && size == 4) /* 16.3.1: aligned doublewords only */
        lapic_write(v, gpa >> 4 & 0xff, value);
    return true;
}

static u64 code_va(const struct vmcb *b) { return (in_64_bits(b) ? 0 : b->cs.base) + b->rip; }

static unsigned code_bytes(const struct vmcb *b, const struct emulate_cpu *c, u8 *code)
{
    if ((amdv_features & AMDV_DECODE) && b->fetched) {
        unsigned n = MIN(b->fetched & 15u, (unsigned)INSN_MAX);
        memcpy(code, b->bytes, n);
        return n;
    }
    return guest_read_va(&c->paging, code_va(b), code, INSN_MAX);
}

/* Bytes up to the first of `opcode`, which an intercept named; less where they were changed meanwhile. */
static __attribute__((noinline)) int find(struct pc_vcpu *v, struct emulate_cpu *c, u8 *code, u8 opcode)
{
    fill_cpu(v, c);
    return insn_match(code, code_bytes(v->vcpu.hal.vmcb, c, code), c->bits, opcode);
}

static __cold void measure_prefixed(struct pc_vcpu *v, u8 opcode, unsigned length)
{
    struct vmcb *b = v->vcpu.hal.vmcb;
    struct emulate_cpu c;
    u8 code[INSN_MAX];
    int n = find(v, &c, code, opcode);
    b->next_rip = n > 1 ? b->rip + (u64)n - 1 + length : 0;
}

/* hal_vcpu.measure: HLT, or one of 0f's map. Nearly all have no prefix: one byte says so, for one walk. */
void pc_measure(struct hal_vcpu *h, unsigned length)
{
    struct pc_vcpu *v = (struct pc_vcpu *)h;
    struct vmcb *b = h->vmcb;
    struct guest_paging paging = paging_of(v);
    u64 one = 1;
    u8 opcode = length == 1 ? 0xf4 : 0x0f;
    const u8 *at = guest_part(&paging, code_va(b), false, &one);
    if (unlikely(!at || *at != opcode)) {
        measure_prefixed(v, opcode, length);
        return;
    }
    b->next_rip = 0;
    if (!b->cpl)
        *plain_at(h, b->rip) = (struct vcpu_plain){ b->rip, at };
}

/* 0f 22 /r, its REX right before it; bits 4 and up are ignored, as the board that needs this does (quirks.c). */
void pc_write_cr8(struct pc_vcpu *v)
{
    struct vmcb *b = v->vcpu.hal.vmcb;
    struct emulate_cpu c;
    u8 code[INSN_MAX + 2] = { 0 };
    int n = find(v, &c, code, 0x0f);
    if (n < 2)
        return;
    unsigned rex_b = c.bits == 64 && (code[n - 2] & 0xf0) == 0x40 ? code[n - 2] & 1 : 0;
    lapic_write(v, 8, (c.gpr[(code[n + 1] & 7) + 8 * rex_b] & 15) << 4);
    b->rip += (unsigned)n + 2;
    b->shadow = 0;
}

/* Drive one instruction to its end; false: a device wants the access again. */
static bool run_emulation(struct pc_vcpu *v, struct emulation *em, struct emulate_cpu *c, int *err)
{
    *err = 1;
    while (*err == 1) {
        if (em->write) {
            if (!mmio_write(v, em->gpa, em->size, em->value))
                return false;
            *err = emulate_write_done(em, c);
        } else {
            *err = emulate_read_done(em, c, mmio_read(v, em->gpa, em->size));
        }
    }
    return true;
}

void pc_mmio(struct pc_vcpu *v, const struct vcpu_exit *e)
{
    const struct vmcb *b = v->vcpu.hal.vmcb;
    struct emulate_cpu cpu;
    struct emulation em;
    u8 code[INSN_MAX];
    if (b->exit_info1 & NPF_TABLES) { /* an empty bus reads as ones: reserved bits. Nobody says for which address. */
        tell(v, "has page tables outside its memory");
        vcpu_inject_exception(&v->vcpu.hal, VEC_PF, true, PF_PRESENT | PF_RESERVED);
        return;
    }
    if (b->exit_info1 & NPF_FETCH) { /* an empty bus reads as ones, and ff ff is no instruction */
        tell(v, "runs code outside its memory");
        vcpu_inject_exception(&v->vcpu.hal, VEC_UD, false, 0);
        return;
    }
    fill_cpu(v, &cpu);
    int err = emulate_begin(&em, &cpu, code, code_bytes(b, &cpu, code), e->addr, e->write);
    if (err == 1 && !run_emulation(v, &em, &cpu, &err))
        return;
    if (err == 0) {
        take_cpu(v, &cpu);
    } else if (err == -EFAULT) {
        page_fault(v, em.fault_va, em.fault_write);
    } else {
        tell(v, "uses an instruction on device memory that is not decoded");
        vcpu_inject_exception(&v->vcpu.hal, VEC_UD, false, 0);
    }
}

/* One element; false: stop here (page fault injected, or the device wants it again). */
static bool string_element(struct pc_vcpu *v, struct emulate_cpu *c, const struct insn *i, u16 port)
{
    struct vm *vm = v->vcpu.vm;
    bool in = i->op == INSN_INS;
    u64 value = 0, va = emulate_string_va(c, i, in ? RDI : RSI);
    if (in) {
        gpa_t gpa;
        if (guest_walk(&c->paging, va, true, &gpa)) { /* before the read: it may have side effects */
            page_fault(v, va, true);
            return false;
        }
        value = io_read(vm, &vm->pio, port, i->size);
        if (guest_write_va(&c->paging, va, &value, i->size) == i->size)
            return true;
    } else if (guest_read_va(&c->paging, va, &value, i->size) == i->size) {
        return io_write(vm, &vm->pio, port, i->size, value);
    }
    page_fault(v, va, in);
    return false;
}

/* EXITINFO1 of an IOIO exit (15.10.2): 0 in, 3 REP, 4-6 operand size, 7-9 address size, 10-12 segment, 16-31 port. */
void pc_string_io(struct pc_vcpu *v)
{
    const struct vmcb *b = v->vcpu.hal.vmcb;
    u64 info = b->exit_info1;
    const struct insn i = {
        .op = info & 1 ? INSN_INS : INSN_OUTS,
        .length = b->exit_info2 - b->rip,
        .size = info >> 4 & 7,
        .addr_size = (info >> 7 & 7) * 2,
        .rep = info & 8,
        .segment = amdv_features & AMDV_DECODE ? MIN(info >> 10 & 7, 5ul) : SEG_DS,
    };
    struct emulate_cpu c;
    fill_cpu(v, &c);
    bool more = !i.rep || !emulate_string_over(&c, &i);
    for (unsigned n = 0; more && n < STRING_CHUNK; n++)
        more = string_element(v, &c, &i, info >> 16) && !emulate_string_step(&c, &i);
    take_cpu(v, &c);
}
