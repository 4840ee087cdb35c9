/* SPDX-License-Identifier: MIT */
/* The call `iret` of guests in ring 1: what is on the stack is loaded, or left to the processor to refuse; nothing else
 * comes into a register. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errors.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "para.h"

#define RAM   (1u << 20)
#define CODE  0x1000u /* the guest's program counter */
#define STACK 0x2000u
#define IRET  0xcf
#define LEFT  8u /* bytes from IRET to the end of the call */

static u8 *ram;
static struct para_state state;
static struct para_regs regs;
static struct stage2 memory;
static u32 shared[1024];
static struct hal_vcpu v = { .state = &state, .regs = &regs, .memory = &memory, .shared = shared, .cr0 = 0x11 };

/* What calls.c and deliver.c stand on. */
const u8 para_code[1], para_int80[1], para_int80_end[1];
void *page_alloc(void) { return calloc(1, PAGE_SIZE); }
void page_free(void *page) { free(page); }
void para_forget(struct hal_vcpu *of, u32 va) {}
void para_load_cr3(struct hal_vcpu *of, u32 cr3, u32 number, u32 generation) {}

static int setup(void **unused)
{
    ram = mmap(NULL, RAM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    assert_true(ram != MAP_FAILED);
    assert_int_equal(stage2_init(&memory), 0);
    assert_int_equal(stage2_map(&memory, 0, (unsigned long)ram, RAM, S2_WRITE), 0);
    state.gdt[2] = 0x00cfbb000000ffffull; /* code of ring 1; code and data of ring 3 */
    state.gdt[14] = 0x00cffb000000ffffull;
    state.gdt[15] = 0x00cff3000000ffffull;
    ram[CODE - LEFT] = IRET;
    return 0;
}

static int teardown(void **unused)
{
    munmap(ram, RAM);
    stage2_free(&memory);
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
    return cmocka_run_group_tests(tests, setup, teardown);
}
