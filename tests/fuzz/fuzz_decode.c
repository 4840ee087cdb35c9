/* SPDX-License-Identifier: MIT */
/*
 * insn_decode(), emulate() and emulate_string(): any bytes in any mode, with registers from the input.
 * What is decoded must not depend on bytes behind it, and an emulation ends after at
 * most a read and a write.
 */
#include <bytes.h>
#include <errors.h>
#include <stdlib.h>
#include <string.h>
#include "pc.h"

static u8 ram[0x4000];
static struct vm vm = { .memory = { 1, { { 0, ram, sizeof(ram) } } } };
static unsigned reads, writes;

static void check_size(unsigned size)
{
    if (size != 1 && size != 2 && size != 4 && size != 8)
        abort();
}

bool device_access(struct pc_vcpu *v, const struct insn *i, u64 addr, bool write, u64 *value)
{
    check_size(i->size);
    if (write) {
        writes++;
        return !(*value & 1);
    }
    reads++;
    *value = 0x8899aabbccddeeffull;
    return true;
}

void page_fault(struct pc_vcpu *v, u64 va, bool write) {}
void not_decoded(struct pc_vcpu *v) {}
void vcpu_traced(struct hal_vcpu *v) {}

static void check(const struct insn *i, int r, unsigned n)
{
    bool power = i->size == 1 || i->size == 2 || i->size == 4 || i->size == 8;
    if (r > (int)n || r > INSN_MAX || r != i->length || !power || i->reg > 15 || i->op > INSN_OUTS ||
        i->segment > SEG_GS)
        abort();
}

static void run(const u8 *code, unsigned n, unsigned bits, const u8 *regs, unsigned n_regs, bool write)
{
    static struct vmcb b;
    static struct pc_vcpu v;
    struct insn i;

    if (insn_decode(code, n, bits, &i) < 0)
        return;
    b = (struct vmcb){ .cr0 = 1, .rflags = 2 };
    memset(&v, 0, sizeof(v));
    v.vcpu.vm = &vm;
    v.vcpu.hal.vmcb = &b;
    memcpy(v.vcpu.hal.regs, regs, MIN(n_regs, (unsigned)sizeof(v.vcpu.hal.regs)));
    v.vcpu.hal.regs[RSI] &= 0x7fff; /* half of the addresses are RAM */
    v.vcpu.hal.regs[RDI] &= 0x7fff;
    b.rax = v.vcpu.hal.regs[RAX];
    reads = writes = 0;
    if (i.op >= INSN_MOVS)
        emulate_string(&v, &i, 0xfee00000, write);
    else
        emulate(&v, &i, 0xfee00000);
    if (reads > 1 || writes > 1)
        abort();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    static const u8 widths[3] = { 16, 32, 64 };
    struct insn a, b;

    if (size < 2)
        return 0;
    unsigned bits = widths[data[0] % 3], n = MIN((unsigned)size - 1, (unsigned)data[0] / 3 % 20);
    u8 *exact = malloc(n ? n : 1);
    memcpy(exact, data + 1, n);
    int r = insn_decode(exact, n, bits, &a);
    if (r > 0) {
        check(&a, r, n);
        if (insn_decode(exact, (unsigned)r, bits, &b) != r || memcmp(&a, &b, sizeof(a)))
            abort();
        if (insn_decode(exact, (unsigned)r - 1, bits, &b) != -EFAULT)
            abort();
    }
    int m = insn_match(exact, n, bits, 0x0f);
    if (m > (int)n || (m > 0 && exact[m - 1] != 0x0f))
        abort();
    run(exact, n, bits, data + 1 + n, (unsigned)size - 1 - n, data[0] & 0x80);
    free(exact);
    return 0;
}
