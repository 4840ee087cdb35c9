/* SPDX-License-Identifier: MIT */
/*
 * insn_decode() and emulate_*(): any bytes in any mode, with registers from the input.
 * What is decoded must not depend on bytes behind it, and an emulation ends after at
 * most a read and a write.
 */
#include <arch/emulate.h>
#include <bytes.h>
#include <errors.h>
#include <stdlib.h>
#include <string.h>

static u8 ram[0x4000];
static const struct guest_memory mem = { 1, { { 0, ram, sizeof(ram) } } };

static void check(const struct insn *i, int r, unsigned n)
{
    bool power = i->size == 1 || i->size == 2 || i->size == 4 || i->size == 8;
    if (r > (int)n || r > INSN_MAX || r != i->length || !power || i->reg > 15 || i->op > INSN_OUTS ||
        i->segment > SEG_GS)
        abort();
}

static void emulate(const u8 *code, unsigned n, unsigned bits, const u8 *regs, unsigned n_regs, bool write)
{
    struct emulation em;
    struct emulate_cpu cpu = { .bits = (u8)bits, .rflags = 2, .paging = { .memory = &mem, .cr0 = 1 } };

    memcpy(cpu.gpr, regs, MIN(n_regs, (unsigned)sizeof(cpu.gpr)));
    cpu.gpr[6] &= 0x7fff; /* half of the addresses are RAM */
    cpu.gpr[7] &= 0x7fff;
    int r = emulate_begin(&em, &cpu, code, n, 0xfee00000, write), steps = 0;
    while (r == 1) {
        if (++steps > 2 || em.size > 8 || (em.write && em.size < 8 && em.value >> 8 * em.size))
            abort();
        r = em.write ? emulate_write_done(&em, &cpu) : emulate_read_done(&em, &cpu, 0x8899aabbccddeeffull);
    }
    if (r > 1)
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
    emulate(exact, n, bits, data + 1 + n, (unsigned)size - 1 - n, data[0] & 0x80);
    free(exact);
    return 0;
}
