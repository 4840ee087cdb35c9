/* SPDX-License-Identifier: MIT */
/*
 * access.c - accesses to devices that need the guest's instruction or its memory: MMIO (nested page faults where no RAM
 * is) and string port I/O.
 *
 * Each exit does a bounded piece: one instruction, one iteration of a repeated MMIO string, or STRING_CHUNK iterations
 * of INS or OUTS. For the rest the guest executes the instruction again, and the kernel takes its interrupts in
 * between.
 */
#include <arch/registers.h>
#include <arch/trap.h>
#include <core/log.h>
#include <errors.h>
#include <string.h>
#include "guest_walk.h"
#include "pc.h"

#define STRING_CHUNK  64
#define PF_PRESENT    1u
#define PF_RESERVED   8u
#define BASE_BOOT_CPU (1ul << 8) /* bits of MSR_APIC_BASE */
#define BASE_XAPIC    (2ul << 10)

void page_fault(struct pc_vcpu *v, u64 va, bool write)
{
    struct guest_cpu *cpu = vcpu_cpu(&v->vcpu.hal);
    vcpu_dirty(&v->vcpu.hal, CLEAN_CR2);
    cpu->cr2 = va;
    vcpu_inject_exception(&v->vcpu.hal, VEC_PF, true, (write ? 2 : 0) | (cpu->cpl == 3 ? 4 : 0));
}

/* Inject an exception. Log the first one of each vCPU, because we might learn to run such a guest. */
static void refuse(struct pc_vcpu *v, const char *what, unsigned vector, u32 error)
{
    if (!v->told)
        printk("%s: vcpu %u %s, rip %llx\n", v->vcpu.vm->conf->name, v->vcpu.id, what, vcpu_cpu(&v->vcpu.hal)->rip);
    v->told = true;
    vcpu_inject_exception(&v->vcpu.hal, vector, error, error);
}

void not_decoded(struct pc_vcpu *v)
{
    refuse(v, "uses an instruction on device memory that is not decoded", VEC_UD, 0);
}

/* Returns whether `addr` is in the page of this vCPU's local APIC and the APIC is in xAPIC mode: one comparison of
 * base and mode. */
static bool is_lapic(const struct pc_vcpu *v, u64 addr)
{
    return (v->lapic.base & ~BASE_BOOT_CPU) == (addr & ~(PAGE_SIZE - 1)) + BASE_XAPIC;
}

bool device_access(struct pc_vcpu *v, const struct insn *i, u64 addr, bool write, u64 *value)
{
    struct vm *vm = v->vcpu.vm;
    struct io_map *map = i->op < INSN_INS ? &vm->mmio : &vm->pio;
    if (map == &vm->mmio && is_lapic(v, addr)) {
        if (!write) {
            *value = 0;
            lapic_read(v, addr >> 4 & 0xff, value);
            *value >>= (addr & 3) * 8;
        } else if (!(addr & 15) && i->size == 4) { /* 16.3.1: only aligned doublewords are written */
            lapic_write(v, addr >> 4 & 0xff, (u32)*value);
        }
        return true;
    }
    if (!write) {
        *value = io_read(vm, map, addr, i->size);
        return true;
    }
    bool done = io_write(vm, map, addr, i->size, *value);
    ioapic_sample(vm); /* if that was an EOI */
    return done;
}

u64 code_va(const struct guest_cpu *cpu) { return (guest_code_bits(cpu) == 64 ? 0 : cpu->cs.base) + cpu->rip; }

unsigned code_bytes(struct pc_vcpu *v, u8 *code)
{
    const u8 *bytes;
    unsigned n = vcpu_fetched(&v->vcpu.hal, &bytes);
    if (!n)
        return guest_copy(&v->vcpu, code_va(vcpu_cpu(&v->vcpu.hal)), code, INSN_MAX, false);
    memcpy(code, bytes, n);
    return n;
}

/* Decode the instruction at RIP. Returns its length; -EINVAL: not one of the known; -EFAULT: a part of it is missing,
 * and the guest gets #PF. */
static int decode(struct pc_vcpu *v, struct insn *i)
{
    const struct guest_cpu *cpu = vcpu_cpu(&v->vcpu.hal);
    u8 code[INSN_MAX];
    unsigned n = code_bytes(v, code);
    int r = insn_decode(code, n, guest_code_bits(cpu), i);
    if (r == -EFAULT)
        page_fault(v, code_va(cpu) + n, false);
    return r;
}

void pc_mmio(struct pc_vcpu *v, const struct vcpu_exit *e)
{
    struct insn i;
    /* an empty bus reads as ones, so reserved bits are set; the address that was translated is not known */
    if (vcpu_missed_table(&v->vcpu.hal)) {
        refuse(v, "has page tables outside its memory", VEC_PF, PF_PRESENT | PF_RESERVED);
        return;
    }
    if (vcpu_missed_code(&v->vcpu.hal)) { /* an empty bus reads as ones, and ff ff is no instruction */
        refuse(v, "runs code outside its memory", VEC_UD, 0);
        return;
    }
    int r = decode(v, &i);
    if (r == -EFAULT)
        return;
    if (r < 0 || i.op >= INSN_INS) /* these are instructions on ports */
        not_decoded(v);
    else if (i.op >= INSN_MOVS)
        emulate_string(v, &i, e->addr, i.op == INSN_MOVS ? e->write : i.op == INSN_STOS);
    else
        emulate(v, &i, e->addr);
}

/* Operand sizes and REP are in EXITINFO1, too, but not the segment on processors without decode assists, and in
 * QEMU 7.2 no address size. So the instruction is decoded. */
void pc_string_io(struct pc_vcpu *v)
{
    u16 port = vcpu_io_port(&v->vcpu.hal);
    struct insn i;
    if (decode(v, &i) < 0 || i.op < INSN_INS) /* the code was changed meanwhile: the guest executes what is there now */
        return;
    for (unsigned n = 0; n < STRING_CHUNK && emulate_string(v, &i, port, i.op == INSN_OUTS); n++)
        ;
}
