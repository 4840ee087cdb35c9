/* SPDX-License-Identifier: MIT */
/* An access of a guest in ring 1 to a device's register: which moves are understood and what they do, that all other
 * bytes are none, and that no bytes make the kernel touch anything else. Expected values by the Developer's Manual. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errors.h>
#include <stdlib.h>
#include <string.h>
#include "para.h"

#define CODE   0x1000u
#define DEVICE 0xd0000050u
#define RANDOM 200000u

static struct para_regs regs;
static u32 shared[1024];
static struct hal_vcpu v = { .regs = &regs, .shared = shared };
static u8 text[32]; /* from CODE on */
static unsigned has = sizeof(text);
static struct vcpu_exit e;

/* What emulate.c stands on: the guest has memory from CODE on, and no more. */
int vcpu_read(struct hal_vcpu *of, void *to, u32 from, u32 n)
{
    if (from != CODE || n > has)
        return -EFAULT;
    memcpy(to, text, n);
    return 0;
}
enum done para_stand_in(struct hal_vcpu *of, const struct para_insn *i, u8 op) { return NOT_OURS; }
void para_forget(struct hal_vcpu *of, u32 va) {}
void para_load_gdt(struct hal_vcpu *of, u32 base, u32 limit) {}
void para_load_idt(struct hal_vcpu *of, u32 base, u32 limit) {}
void para_load_cr3(struct hal_vcpu *of, u32 cr3, u32 number, u32 generation) {}
void para_set_cr0(struct hal_vcpu *of, u32 value) {}
void para_set_cr4(struct hal_vcpu *of, u32 value) {}

static void begin(const char *code, unsigned n)
{
    memset(text, 0x90, sizeof(text));
    memcpy(text, code, n);
    regs = (struct para_regs){
        .eax = 0x11223344, .ecx = 0x55667788, .edx = DEVICE, .ebx = DEVICE - 0x50, .esi = 0x14, .eip = CODE, .cs = 0x11
    };
    para_mmio(&v, &e, DEVICE, DEVICE + 0x1000);
    assert_int_equal(e.reason, VCPU_EXIT_MMIO);
    assert_true(e.addr == DEVICE + 0x1000);
}

static void writes(const char *code, unsigned n, unsigned size, u32 value)
{
    begin(code, n);
    assert_int_equal(e.size, size);
    assert_true(e.write);
    assert_true(e.value == value);
    assert_int_equal(e.length, n);
}
#define WRITES(code, size, value) writes(code, sizeof(code) - 1, size, value)

/* A read of 0x..99aabbcc leaves `value` in register `reg` and the others as they were. */
static void reads(const char *code, unsigned n, unsigned size, u32 *reg, u32 value)
{
    const u32 device = 0x99aabbcc;
    begin(code, n);
    assert_int_equal(e.size, size);
    assert_false(e.write);
    assert_int_equal(e.length, n);
    struct para_regs before = regs;
    vcpu_complete_read(&v, &e, size == 4 ? device : device & ((1u << 8 * size) - 1));
    assert_int_equal(*reg, value);
    assert_int_equal(regs.eip, CODE + n);
    *reg = *(u32 *)((u8 *)&before + ((u8 *)reg - (u8 *)&regs));
    regs.eip = CODE;
    assert_memory_equal(&regs, &before, sizeof(regs));
}
#define READS(code, size, reg, value) reads(code, sizeof(code) - 1, size, &regs.reg, value)

static void a_move_to_the_device_is_understood(void **unused)
{
    WRITES("\x89\x02", 4, 0x11223344);                            /* mov %eax,(%edx) */
    WRITES("\x66\x89\x0a", 2, 0x7788);                            /* mov %cx,(%edx) */
    WRITES("\x88\x0a", 1, 0x88);                                  /* mov %cl,(%edx) */
    WRITES("\x88\x2a", 1, 0x77);                                  /* mov %ch,(%edx) */
    WRITES("\x89\x43\x50", 4, 0x11223344);                        /* mov %eax,0x50(%ebx) */
    WRITES("\x89\x83\x50\x00\x00\x00", 4, 0x11223344);            /* with 32 bits of offset */
    WRITES("\x89\x04\xb3", 4, 0x11223344);                        /* mov %eax,(%ebx,%esi,4) */
    WRITES("\x89\x0d\x50\x00\x00\xd0", 4, 0x55667788);            /* mov %ecx,DEVICE */
    WRITES("\xa3\x50\x00\x00\xd0", 4, 0x11223344);                /* the accumulator has forms of its own */
    WRITES("\xa2\x50\x00\x00\xd0", 1, 0x44);                      /* mov %al,DEVICE */
    WRITES("\xc7\x02\x01\x02\x03\x04", 4, 0x04030201);            /* mov $,(%edx) */
    WRITES("\x66\xc7\x02\x01\x02", 2, 0x0201);                    /* movw */
    WRITES("\xc6\x43\x50\x07", 1, 7);                             /* movb */
    WRITES("\x3e\xc7\x83\x50\x00\x00\x00\x01\x00\x00\x00", 4, 1); /* with a prefix, and all an operand can have */
}

static void a_move_from_the_device_is_understood(void **unused)
{
    READS("\x8b\x02", 4, eax, 0x99aabbcc);
    READS("\x8b\x0a", 4, ecx, 0x99aabbcc);
    READS("\x66\x8b\x0a", 2, ecx, 0x5566bbcc);
    READS("\x8a\x0a", 1, ecx, 0x556677cc);
    READS("\x8a\x2a", 1, ecx, 0x5566cc88); /* CH */
    READS("\xa1\x50\x00\x00\xd0", 4, eax, 0x99aabbcc);
    READS("\xa0\x50\x00\x00\xd0", 1, eax, 0x112233cc);
    READS("\x0f\xb6\x0a", 1, ecx, 0xcc); /* MOVZX */
    READS("\x0f\xb7\x0a", 2, ecx, 0xbbcc);
    READS("\x66\x0f\xb6\x0a", 1, ecx, 0x556600cc);
    READS("\x0f\xb6\x22", 1, esp, 0xcc); /* not AH: the register has 32 bits */
}

static void nothing(const char *code, unsigned n)
{
    begin(code, n);
    assert_int_equal(e.size, 0);
}
#define NOTHING(code) nothing(code, sizeof(code) - 1)

static void all_else_is_not_understood(void **unused)
{
    NOTHING("\x01\x02");     /* add */
    NOTHING("\x87\x02");     /* xchg */
    NOTHING("\xa5");         /* movs */
    NOTHING("\xf3\xab");     /* rep stos */
    NOTHING("\x0f\xbe\x0a"); /* movsx */
    NOTHING("\x89\xc2");     /* between registers: it cannot have faulted */
    NOTHING("\x8b\x03");     /* another address */
    NOTHING("\x64\x8b\x0d\x00\x00\x00\x00");
    NOTHING("\xc7\x0a\x01\x02\x03\x04"); /* no MOV: the opcode's other digits */
    NOTHING("\x67\x8b\x07");             /* an address of 16 bits */
    has = 1;
    NOTHING("\x8b\x02"); /* the code is not there: it was another one */
    has = sizeof(text);
}

/* Whatever the bytes are: a size of 1, 2 or 4 or none, no more bytes than an instruction has, and a register. */
static void random_bytes_do_no_harm(void **unused)
{
    static const u8 first[] = { 0x88, 0x89, 0x8a, 0x8b, 0xa0, 0xa1, 0xa2, 0xa3, 0xc6, 0xc7, 0x0f };
    unsigned known = 0;
    srandom(1);
    for (unsigned n = 0; n < RANDOM; n++) {
        char code[16];
        unsigned at = (unsigned)random() % 13;
        for (unsigned i = 0; i < sizeof(code); i++)
            code[i] = i < at ? "\x66\x2e\x64"[random() % 3] : (char)random();
        code[at] = (char)first[random() % sizeof(first)];
        begin(code, sizeof(code));
        assert_true(e.size == 0 || e.size == 1 || e.size == 2 || e.size == 4);
        if (!e.size)
            continue;
        known++;
        assert_true(e.length <= sizeof(text) && e.value >> 8 * e.size == 0);
        if (!e.write) {
            assert_in_range((u8 *)v.load - (u8 *)&regs, 0, sizeof(regs) - v.load_bytes);
            vcpu_complete_read(&v, &e, 0);
        }
    }
    assert_true(known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_move_to_the_device_is_understood),
        cmocka_unit_test(a_move_from_the_device_is_understood),
        cmocka_unit_test(all_else_is_not_understood),
        cmocka_unit_test(random_bytes_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
