/* SPDX-License-Identifier: MIT */
/* The call `iret` of guests in ring 1: what is on the stack is loaded, or left to the processor to refuse; nothing else
 * comes into a register. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errors.h>
#include <string.h>
#include "para_ram.h"

#define CODE    0x1000u /* the guest's program counter */
#define STACK   0x2000u
#define WORD(w) (u8)(w), (u8)((w) >> 8), (u8)((w) >> 16), (u8)((w) >> 24)
#define LEFT    ((u32)sizeof(code)) /* bytes from IRET to the end of the call */

/* As the macro for IRET has it (guests/linux586/para/insn.S): IRET, PUSH EAX, MOV EAX, INT. */
static const u8 code[] = { 0xcf, 0x50, 0xb8, WORD(PARA_IRET), 0xcd, PARA_VECTOR };

static struct para_state state;
static struct para_regs regs;
static u32 shared[1024];
static struct hal_vcpu v = { .state = &state, .regs = &regs, .memory = &memory, .shared = shared, .cr0 = 0x11 };

/* What calls.c and deliver.c stand on. */
const u8 para_code[1], para_int80[1], para_int80_end[1];
void para_forget(struct hal_vcpu *of, u32 va) {}
void para_load_cr3(struct hal_vcpu *of, u32 cr3, u32 number, u32 generation) {}

static int setup(void **unused)
{
    ram_begin();
    ram_descriptors(&state);
    memcpy(ram + CODE - LEFT, code, LEFT);
    return 0;
}

static void call(u32 cs, u32 ss)
{
    const u32 stack[] = { 77, 0x1234, cs, 0x202, 0x5678, ss };
    struct vcpu_exit e;
    memcpy(ram + STACK, stack, sizeof(stack));
    regs = (struct para_regs){ .eax = PARA_IRET, .eip = CODE, .cs = 0x11, .esp = STACK, .ss = 0x19 };
    assert_int_equal(para_call(&v, &e), DONE);
    assert_int_equal(regs.eax, 77);
}

static void a_kernel_and_a_program_are_returned_to(void **unused)
{
    call(0x11, 0);
    assert_true(regs.eip == 0x1234 && regs.cs == 0x11 && regs.esp == STACK + 16 && regs.ss == 0x19);
    assert_int_equal(shared[PARA_SHARE_FLAG / 4], 0x200);
    call(0x10, 0); /* as it was before the kernel knew its ring */
    assert_true(regs.eip == 0x1234 && regs.cs == 0x11 && regs.esp == STACK + 16 && regs.ss == 0x19);
    call(0x73, 0x7b);
    assert_true(regs.eip == 0x1234 && regs.cs == 0x73 && regs.esp == 0x5678 && regs.ss == 0x7b);
}

static void what_is_refused_is_left_to_the_processor(void **unused)
{
    const u32 wrong[][2] = { { 0x73, 0x73 }, { 0x7b, 0x7b }, { 0x13, 0x7b }, { 0x72, 0x7b }, { 0x72, 0x7a } };
    for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++) {
        call(wrong[i][0], wrong[i][1]);
        assert_true(regs.eip == CODE - LEFT && regs.cs == 0x11 && regs.esp == STACK + 4 && regs.ss == 0x19);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_and_a_program_are_returned_to),
        cmocka_unit_test(what_is_refused_is_left_to_the_processor),
    };
    return cmocka_run_group_tests(tests, setup, ram_end);
}
