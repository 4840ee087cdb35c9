/* SPDX-License-Identifier: MIT */
/* The gate for INT 0x80, which the processor takes without us: a guest in ring 1 chooses its selector. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>
#include "para_ram.h"

#define IDT    0x3000u
#define TASK   0x4000u
#define STACK  0x6000u
#define SYSTEM 0x80u

static struct para_state state;
static struct para_regs regs;
static u32 shared[1024];
static struct hal_vcpu v = {
    .state = &state, .regs = &regs, .memory = &memory, .shared = shared, .cr0 = 0x11, .task = TASK
};

/* What deliver.c stands on. */
const u8 para_code[1], para_int80[1], para_int80_end[1];

static int setup(void **unused)
{
    ram_begin();
    ram_descriptors(&state);
    return 0;
}

/* The guest executes INT 0x80 behind LIDT. */
static void call(u32 selector, u32 type)
{
    const u32 gate[] = { selector << 16 | 0x1234, 0x8000 | type }, stack[] = { STACK, 0x18 };
    memcpy(ram + IDT + SYSTEM * 8, gate, sizeof(gate));
    memcpy(ram + TASK + offsetof(struct tss, esp0), stack, sizeof(stack));
    regs = (struct para_regs){ .eip = 0x1000, .cs = 0x73, .esp = STACK, .ss = 0x7b };
    para_load_idt(&v, IDT, 0x7ff);
    assert_null(para_int(&v, SYSTEM));
}

/* The processor takes a gate's selector whatever ring that names, so one of ours would be ring 0. */
static void no_gate_leads_to_a_segment_of_ours(void **unused)
{
    for (u32 selector = 0; selector < 0x10000; selector++) {
        call(selector, 0xee00);
        u16 taken = (u16)(state.idt[SYSTEM] >> 16);
        if (selector < GUEST_DESCRIPTORS * 8)
            assert_true(taken == (selector | 1) && regs.eip == 0x1000); /* the program executes it once more */
        else
            assert_true(!state.idt[SYSTEM] && regs.cs == (selector | 1));
    }
}

static void what_the_processor_cannot_do_as_the_gate_says_is_not_left_to_it(void **unused)
{
    call(0x10, 0xee00);
    assert_int_equal(state.idt[SYSTEM] >> 40 & 0xff, 0xef); /* a trap gate: an interrupt gate clears the real flag */
    call(0x10, 0xef00);
    assert_true(!state.idt[SYSTEM] && regs.cs == 0x11 && regs.eip == 0x1234);
}

static void the_stub_goes_on_in_the_handler_whatever_the_stack_pointer(void **unused)
{
    call(0x10, 0xee00);
    assert_true(state.stack[0] == STACK - 20 && state.stack[1] == STACK - 20);
    shared[PARA_SHARE_FLAG / 4] = 0x200;
    regs = (struct para_regs){ .eip = para_place(para_int80), .cs = 0x11, .esp = STACK - 36 };
    assert_true(para_enter_handler(&v) && regs.eip == 0x1234 && !shared[PARA_SHARE_FLAG / 4]);
    assert_false(para_enter_handler(&v)); /* not there */
    regs = (struct para_regs){ .eip = para_place(para_int80), .cs = 0x73 };
    assert_false(para_enter_handler(&v)); /* a program, which has no such address */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_gate_leads_to_a_segment_of_ours),
        cmocka_unit_test(the_stub_goes_on_in_the_handler_whatever_the_stack_pointer),
        cmocka_unit_test(what_the_processor_cannot_do_as_the_gate_says_is_not_left_to_it),
    };
    return cmocka_run_group_tests(tests, setup, ram_end);
}
