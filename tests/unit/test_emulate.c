/* SPDX-License-Identifier: MIT */
/*
 * emulate(): the same as the processor.  Instructions with one operand at (%rbx) run
 * both natively, on memory, and emulated, on a device register with the same contents;
 * registers, flags and memory must agree.
 */
#include "emulate_test.h"
#include <sys/mman.h>

#define FLAGS_ALU 0x8d5u
#define FLAG_CF   1u
#define FLAG_AF   0x10u

struct state {
    u64 gpr[16], rflags;
};
/* Load every register but RSP from *s, call `code`, store them back. */
void native_run(struct state *s, const void *code);
__asm__(".text\nnative_run:\n"
        "push %rbx\npush %rbp\npush %r12\npush %r13\npush %r14\npush %r15\npush %rdi\npush %rsi\n"
        "push 128(%rdi)\npopfq\n"
        "mov (%rdi),%rax\nmov 8(%rdi),%rcx\nmov 16(%rdi),%rdx\nmov 24(%rdi),%rbx\nmov 40(%rdi),%rbp\n"
        "mov 48(%rdi),%rsi\nmov 64(%rdi),%r8\nmov 72(%rdi),%r9\nmov 80(%rdi),%r10\nmov 88(%rdi),%r11\n"
        "mov 96(%rdi),%r12\nmov 104(%rdi),%r13\nmov 112(%rdi),%r14\nmov 120(%rdi),%r15\nmov 56(%rdi),%rdi\n"
        "call *(%rsp)\n"
        "pushfq\npush %rdi\nmov 24(%rsp),%rdi\n"
        "mov %rax,(%rdi)\nmov %rcx,8(%rdi)\nmov %rdx,16(%rdi)\nmov %rbx,24(%rdi)\nmov %rbp,40(%rdi)\n"
        "mov %rsi,48(%rdi)\nmov %r8,64(%rdi)\nmov %r9,72(%rdi)\nmov %r10,80(%rdi)\nmov %r11,88(%rdi)\n"
        "mov %r12,96(%rdi)\nmov %r13,104(%rdi)\nmov %r14,112(%rdi)\nmov %r15,120(%rdi)\n"
        "pop %rax\nmov %rax,56(%rdi)\npop %rax\nmov %rax,128(%rdi)\n"
        "add $16,%rsp\npop %r15\npop %r14\npop %r13\npop %r12\npop %rbp\npop %rbx\nret\n");

struct form {
    u8 n, op[2];
    s8 digit;  /* ModRM.reg, -1: a register operand */
    s8 imm;    /* bytes of immediate, -1: as the operand, at most 4 */
    bool bits; /* the register is a bit number */
    u32 flags; /* those that are defined */
};
#define REG -1
static const struct form forms[] = {
#define ALU8(base, f)                                                                                                  \
    { 1, { base }, REG, 0, 0, f }, { 1, { base + 1 }, REG, 0, 0, f }, { 1, { base + 2 }, REG, 0, 0, f },               \
        { 1, { base + 3 }, REG, 0, 0, f }, { 1, { 0x80 }, base / 8, 1, 0, f }, { 1, { 0x81 }, base / 8, -1, 0, f },    \
    {                                                                                                                  \
        1, { 0x83 }, base / 8, 1, 0, f                                                                                 \
    }
    ALU8(0x00, FLAGS_ALU),
    ALU8(0x08, FLAGS_ALU & ~FLAG_AF),
    ALU8(0x10, FLAGS_ALU),
    ALU8(0x18, FLAGS_ALU),
    ALU8(0x20, FLAGS_ALU & ~FLAG_AF),
    ALU8(0x28, FLAGS_ALU),
    ALU8(0x30, FLAGS_ALU & ~FLAG_AF),
    ALU8(0x38, FLAGS_ALU),
    { 1, { 0x84 }, REG, 0, 0, FLAGS_ALU & ~FLAG_AF },
    { 1, { 0x85 }, REG, 0, 0, FLAGS_ALU & ~FLAG_AF },
    { 1, { 0xf6 }, 0, 1, 0, FLAGS_ALU & ~FLAG_AF },
    { 1, { 0xf7 }, 0, -1, 0, FLAGS_ALU & ~FLAG_AF },
    { 1, { 0xf6 }, 2, 0, 0, FLAGS_ALU },
    { 1, { 0xf7 }, 2, 0, 0, FLAGS_ALU },
    { 1, { 0xf6 }, 3, 0, 0, FLAGS_ALU },
    { 1, { 0xf7 }, 3, 0, 0, FLAGS_ALU },
    { 1, { 0xfe }, 0, 0, 0, FLAGS_ALU },
    { 1, { 0xff }, 0, 0, 0, FLAGS_ALU },
    { 1, { 0xfe }, 1, 0, 0, FLAGS_ALU },
    { 1, { 0xff }, 1, 0, 0, FLAGS_ALU },
    { 1, { 0x86 }, REG, 0, 0, FLAGS_ALU },
    { 1, { 0x87 }, REG, 0, 0, FLAGS_ALU },
    { 1, { 0x88 }, REG, 0, 0, FLAGS_ALU },
    { 1, { 0x89 }, REG, 0, 0, FLAGS_ALU },
    { 1, { 0x8a }, REG, 0, 0, FLAGS_ALU },
    { 1, { 0x8b }, REG, 0, 0, FLAGS_ALU },
    { 1, { 0xc6 }, 0, 1, 0, FLAGS_ALU },
    { 1, { 0xc7 }, 0, -1, 0, FLAGS_ALU },
    { 1, { 0x63 }, REG, 0, 0, FLAGS_ALU },
    { 2, { 0x0f, 0xb6 }, REG, 0, 0, FLAGS_ALU },
    { 2, { 0x0f, 0xb7 }, REG, 0, 0, FLAGS_ALU },
    { 2, { 0x0f, 0xbe }, REG, 0, 0, FLAGS_ALU },
    { 2, { 0x0f, 0xbf }, REG, 0, 0, FLAGS_ALU },
    { 2, { 0x0f, 0xb0 }, REG, 0, 0, FLAGS_ALU },
    { 2, { 0x0f, 0xb1 }, REG, 0, 0, FLAGS_ALU },
    { 2, { 0x0f, 0xc0 }, REG, 0, 0, FLAGS_ALU },
    { 2, { 0x0f, 0xc1 }, REG, 0, 0, FLAGS_ALU },
    { 2, { 0x0f, 0xa3 }, REG, 0, 1, FLAG_CF },
    { 2, { 0x0f, 0xab }, REG, 0, 1, FLAG_CF },
    { 2, { 0x0f, 0xb3 }, REG, 0, 1, FLAG_CF },
    { 2, { 0x0f, 0xbb }, REG, 0, 1, FLAG_CF },
    { 2, { 0x0f, 0xba }, 4, 1, 0, FLAG_CF },
    { 2, { 0x0f, 0xba }, 5, 1, 0, FLAG_CF },
    { 2, { 0x0f, 0xba }, 6, 1, 0, FLAG_CF },
    { 2, { 0x0f, 0xba }, 7, 1, 0, FLAG_CF },
};

static u64 seed = 1;
static u64 rnd(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}
/* Numbers near the edges are where flags go wrong. */
static u64 number(void)
{
    static const u64 edge[] = { 0,      1,          0x7f,       0x80,  0xff,       0x7fff,
                                0x8000, 0x7fffffff, 0x80000000, ~0ull, 1ull << 63, ~0ull >> 1 };
    return rnd() % 3 ? rnd() : edge[rnd() % ARRAY_SIZE(edge)];
}

static unsigned build(const struct form *f, u8 *code, u8 *reg, unsigned *size)
{
    unsigned n = 0;
    u8 rex = rnd() % 2 ? 0 : 0x40 | (rnd() & 0xc);
    bool o16 = rnd() % 4 == 0;
    bool byte = !(f->op[f->n - 1] & 1) && f->op[f->n - 1] != 0xba;

    *size = byte ? 1 : rex & 8 ? 8 : o16 ? 2 : 4;
    if (o16)
        code[n++] = 0x66;
    if (rex)
        code[n++] = rex;
    memcpy(code + n, f->op, f->n);
    n += f->n;
    *reg = rnd() & 7;
    code[n++] = (u8)((f->digit == REG ? *reg : f->digit) << 3 | 3);
    unsigned imm = f->imm < 0 ? MIN(*size, 4u) : (unsigned)f->imm;
    for (unsigned i = 0; i < imm; i++)
        code[n++] = (u8)number();
    bool high = byte && !rex && f->op[0] != 0x0f;
    if (f->digit == REG && *reg == 4 && !(rex & 4) && !high)
        code[n - 1 - imm] ^= 0x10; /* not RSP: that is the test's own stack */
    *reg = (u8)((code[n - 1 - imm] >> 3 & 7) | (rex & 4 ? 8 : 0));
    return n;
}

static void compare(const struct form *f, u8 *page)
{
    static u64 memory[4];
    struct state s;
    struct insn insn;
    u8 code[16], reg;
    unsigned size, n = build(f, code, &reg, &size);

    if (f->bits && reg == 3)
        return; /* RBX is the address */
    for (unsigned i = 0; i < 16; i++)
        s.gpr[i] = number();
    s.gpr[3] = (u64)(uintptr_t)&memory[1];
    if (f->bits)
        s.gpr[reg] &= 8 * size - 1;
    s.rflags = 2 | (rnd() & FLAGS_ALU);
    setup(NULL);
    device = number();
    if (f->op[1] == 0xb1 && rnd() % 2)
        s.gpr[0] = device;
    memory[1] = device;
    memcpy(cpu.vcpu.hal.regs, s.gpr, sizeof(s.gpr));
    vmcb.rax = s.gpr[0];
    vmcb.rflags = s.rflags;

    memcpy(page, code, n);
    page[n] = 0xc3;
    native_run(&s, page);

    int r = insn_decode(code, n, 64, &insn);
    assert_int_equal(r, n);
    emulate(&cpu, &insn, DEVICE);
    assert_in_range(reads + writes, 1, 2);
    assert_int_equal(device_at, DEVICE);
    bool same = device == memory[1] && vmcb.rip == 0x100 + n && !vmcb.shadow && vmcb.rax == s.gpr[0] &&
                !((vmcb.rflags ^ s.rflags) & f->flags);
    for (unsigned i = 1; i < 16; i++)
        same = same && (i == 4 || cpu.vcpu.hal.regs[i] == s.gpr[i]);
    if (!same) {
        for (unsigned i = 0; i < n; i++)
            print_error("%02x ", code[i]);
        print_error(": r %d device %llx/%llx flags %llx/%llx\n", r, (unsigned long long)device,
                    (unsigned long long)memory[1], (unsigned long long)vmcb.rflags, (unsigned long long)s.rflags);
        fail();
    }
}

static void test_as_the_processor_does(void **state)
{
    u8 *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(page, MAP_FAILED);
    for (unsigned round = 0; round < 2000; round++)
        for (unsigned i = 0; i < ARRAY_SIZE(forms); i++)
            compare(&forms[i], page);
    munmap(page, 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_the_processor_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
