/* SPDX-License-Identifier: MIT */
/* The chooser of a CD image with two kernels (firmware/chooser): which one a processor gets, and which files it puts
 * into memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "dice.h"
#include "load.h"

#define INTEL 0x756e6547
#define AMD   0x68747541
#define VMX   (1u << 5)
#define SVM   (1u << 2)

static void a_processor_gets_the_kernel_that_can_host_guests_on_it(void **state)
{
    static const struct {
        struct processor p;
        enum module kernel;
    } all[] = {
        { { AMD, 0, SVM }, MODULE_AMDV },       { { AMD, 0, 0 }, MODULE_AMDV },  /* which says that there is no AMD-V */
        { { INTEL, VMX, 0 }, MODULE_VMX },      { { INTEL, 0, 0 }, MODULE_VMX }, /* which says that there is no VT-x */
        { { 0x746e6543, VMX, 0 }, MODULE_VMX }, { { 0x746e6543, 0, 0 }, MODULE_AMDV },
    };
    for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++)
        assert_int_equal(kernel_for(&all[i].p), all[i].kernel);
}

/* A file of 64 bytes of header and a segment of 56, with eight bytes behind them. */
#define SIZE 128
static u8 good[SIZE];
static u8 *place, *memory; /* where kernels lie, address 0 */

static void put(u8 *file, unsigned at, u64 value, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        file[at + i] = (u8)(value >> 8 * i);
}

static int setup(void **state)
{
    memset(good, 0, sizeof(good));
    memcpy(good,
           "\x7f"
           "ELF\2\1\1",
           7);
    put(good, 18, 62, 2);
    put(good, 24, 0xd00010, 8); /* entry */
    put(good, 32, 64, 8);
    put(good, 54, 56, 2);
    put(good, 56, 1, 2);
    put(good, 64, 1, 4);
    put(good, 64 + 8, 120, 8);
    put(good, 64 + 16, 0xffffffff80d00000, 8);
    put(good, 64 + 24, 0xdffff0, 8);
    put(good, 64 + 32, 8, 8);
    put(good, 64 + 40, 16, 8);
    memcpy(good + 120, "contents", 8);
    place = malloc(KERNELS_END - KERNELS_BEGIN);
    memset(place, 0xff, KERNELS_END - KERNELS_BEGIN);
    memory = (u8 *)((uintptr_t)place - KERNELS_BEGIN);
    return 0;
}

static int teardown(void **state)
{
    free(place);
    return 0;
}

static void a_segment_lies_where_it_is_linked_and_zeros_follow_it(void **state)
{
    assert_int_equal(load_elf(good, SIZE, memory), 0xd00010);
    assert_memory_equal(memory + 0xdffff0, "contents\0\0\0\0\0\0\0", 16);
    assert_int_equal(memory[0xdfffef], 0xff);
}

static void a_file_that_would_lie_elsewhere_is_refused(void **state)
{
    static const struct {
        unsigned at;
        u64 value;
    } wrong[] = {
        { 64 + 24, 0xdffff1 }, { 64 + 24, 0xcfffff }, { 64 + 24, ~0ull }, { 64 + 40, 17 },
        { 64 + 40, ~0ull },    { 64 + 32, 9 },        { 64 + 8, 121 },    { 64 + 8, ~0ull },
        { 24, 0xe00000 },      { 24, 0x100d00010 },   { 32, 65 + 8 },     { 32, ~0ull },
    };
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        u8 file[SIZE];
        memcpy(file, good, SIZE);
        put(file, wrong[i].at, wrong[i].value, 8);
        assert_int_equal(load_elf(file, SIZE, memory), 0);
    }
    for (u32 n = 0; n < SIZE; n++) {
        u8 *cut = malloc(n + 1);
        memcpy(cut, good, n);
        assert_int_equal(load_elf(cut, n, memory), 0);
        free(cut);
    }
}

static void no_file_writes_outside_of_the_kernels_place(void **state)
{
    dice = 1;
    for (unsigned n = 0; n < 20000; n++) {
        u8 file[SIZE];
        memcpy(file, good, SIZE);
        for (unsigned i = 0; i < 3; i++)
            file[18 + roll(SIZE - 18)] = (u8)roll(256);
        u32 entry = load_elf(file, SIZE, memory); /* ASan sees what is written */
        assert_true(!entry || (entry >= KERNELS_BEGIN && entry < KERNELS_END));
    }
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(a_processor_gets_the_kernel_that_can_host_guests_on_it),
        T(a_segment_lies_where_it_is_linked_and_zeros_follow_it),
        T(a_file_that_would_lie_elsewhere_is_refused),
        T(no_file_writes_outside_of_the_kernels_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
