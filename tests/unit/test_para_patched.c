/* SPDX-License-Identifier: MIT */
/* What stands for PUSHF, POPF, IRET and CPUID in a kernel that was not built for ring 1 does what they would do in ring
 * 0, with the guest's interrupt flag, and nothing that a guest must not. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errors.h>
#include <string.h>
#include "para_ram.h"

#define CODE  0x1000u
#define STACK 0x2000u
#define IF    0x200u

static struct para_state state;
static struct para_regs regs;
static u32 shared[1024];
static struct hal_vcpu v = { .state = &state, .regs = &regs, .memory = &memory, .shared = shared, .cr0 = 0x11 };
static unsigned cpuids;

/* What the files stand on. */
const u8 para_code[1], para_int80[1], para_int80_end[1];
void para_cpuid(struct hal_vcpu *of) { cpuids++; }

static int setup(void **unused)
{
    ram_begin();
    ram_descriptors(&state);
    return 0;
}

static enum done execute(u8 op, u8 next, u32 esp, u32 eflags)
{
    struct para_insn i = { .code = { op, next }, .at = 1 };
    regs = (struct para_regs){ .eip = CODE, .cs = 0x11, .esp = esp, .ss = 0x19, .eflags = eflags };
    return para_stand_in(&v, &i, op);
}

static void flags_have_the_guests_interrupt_flag(void **unused)
{
    shared[0] = 0;
    assert_int_equal(execute(PARA_FOR_PUSHF, 0, STACK, 0x246), DONE);
    assert_int_equal(*(u32 *)(ram + STACK - 4), 0x46);
    shared[0] = IF;
    assert_int_equal(execute(PARA_FOR_PUSHF, 0, STACK, 0x246), DONE);
    assert_int_equal(*(u32 *)(ram + STACK - 4), 0x246);
    assert_int_equal(regs.esp, STACK - 4);
    assert_int_equal(regs.eip, CODE + 1);
    *(u32 *)(ram + STACK) = 0x46;
    assert_int_equal(execute(PARA_FOR_POPF, 0, STACK, 0x202), DONE);
    assert_int_equal(shared[0], 0);
    assert_int_equal(regs.eflags, 0x44);
    assert_int_equal(regs.esp, STACK + 4);
    *(u32 *)(ram + STACK) = 0xffffffff;
    assert_int_equal(execute(PARA_FOR_POPF, 0, STACK, 0), DONE);
    assert_int_equal(shared[0], IF);
    assert_int_equal(regs.eflags & ~FLAGS_KEPT, 0); /* neither VM, NT nor IOPL */
}

static void a_return_goes_where_the_processor_would(void **unused)
{
    const u32 kernel[] = { 0x3000, 0x10, 0x46, 0, 0 }, program[] = { 0x8048000, 0x73, 0x246, 0xbf000000, 0x7b };
    memcpy(ram + STACK, kernel, sizeof(kernel));
    assert_int_equal(execute(PARA_FOR_IRET, 0, STACK, 0), DONE);
    assert_int_equal(regs.eip, 0x3000);
    assert_int_equal(regs.cs, 0x11);
    assert_int_equal(regs.esp, STACK + 12);
    assert_int_equal(shared[0], 0);
    memcpy(ram + STACK, program, sizeof(program));
    assert_int_equal(execute(PARA_FOR_IRET, 0, STACK, 0), DONE);
    assert_int_equal(regs.eip, 0x8048000);
    assert_int_equal(regs.cs, 0x73);
    assert_int_equal(regs.esp, 0xbf000000);
    assert_int_equal(shared[0], IF);
}

static void what_cannot_be_done_has_changed_nothing(void **unused)
{
    const u32 bad[] = { 0x8048000, 0x23, 0x246, 0xbf000000, 0x7b };
    memcpy(ram + STACK, bad, sizeof(bad));
    shared[0] = 0;
    assert_int_equal(execute(PARA_FOR_IRET, 0, STACK, 0), NOT_OURS); /* a selector of nothing */
    assert_int_equal(execute(PARA_FOR_IRET, 0, RAM - 8, 0), NOT_OURS);
    assert_int_equal(execute(PARA_FOR_POPF, 0, RAM, 0), NOT_OURS);
    assert_int_equal(execute(PARA_FOR_PUSHF, 0, RAM + 8, 0), NOT_OURS);
    assert_int_equal(regs.eip, CODE);
    assert_int_equal(regs.esp, RAM + 8);
    assert_int_equal(shared[0], 0);
}

static void only_the_second_byte_makes_it_cpuid(void **unused)
{
    cpuids = 0;
    assert_int_equal(execute(PARA_FOR_CPUID, 0x90, STACK, 0), NOT_OURS);
    assert_int_equal(cpuids, 0);
    assert_int_equal(execute(PARA_FOR_CPUID, 0xa2, STACK, 0), DONE);
    assert_int_equal(cpuids, 1);
    assert_int_equal(regs.eip, CODE + 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_have_the_guests_interrupt_flag),
        cmocka_unit_test(a_return_goes_where_the_processor_would),
        cmocka_unit_test(what_cannot_be_done_has_changed_nothing),
        cmocka_unit_test(only_the_second_byte_makes_it_cpuid),
    };
    return cmocka_run_group_tests(tests, setup, ram_end);
}
