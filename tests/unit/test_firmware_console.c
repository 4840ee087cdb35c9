/* SPDX-License-Identifier: MIT */
/* What is typed on the line that the manycore board's clusters share: whose it is, and what is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define FIRMWARE_CSR_H /* its instructions and registers are another machine's */
#include <table.h>

static const struct fw_table fake_table = { .n_clusters = 8 };
#undef FW_TABLE
#define FW_TABLE       (&fake_table)
#define csr_read(name) 0
static void relax(u32 hart) { abort(); }

/* The line: a register has what is read there next. */
static u8 cell;
static const char *line_has, *line_ends;
static u8 *line_register(unsigned reg);
#define UART ((uintptr_t)line_register(reg) - reg)
#include <console.c>

static u8 *line_register(unsigned reg)
{
    if (reg == UART_DATA)
        cell = (u8)*line_has++;
    else
        cell = LSR_EMPTY | (line_has < line_ends ? LSR_READY : 0);
    return &cell;
}

static void type(const char *bytes, size_t n)
{
    line_has = bytes;
    line_ends = bytes + n;
}

static int setup(void **state)
{
    line.listener = TAG;
    line.tag = false;
    memset(typed, 0, sizeof(typed));
    return 0;
}

static char text[300];

/* A kernel asks byte by byte, and the line is faster. */
static void who_asks_loses_nothing_however_much_is_typed(void **state)
{
    char bytes[2 + sizeof(text)] = { (char)TAG, 3 };
    for (size_t i = 0; i < sizeof(text); i++)
        bytes[2 + i] = (char)('a' + i % 23);
    type(bytes, sizeof(bytes));
    for (size_t i = 0; i < sizeof(text); i++)
        assert_int_equal(console_get(3, text + i, 1), 1);
    assert_memory_equal(text, bytes + 2, sizeof(text));
    assert_int_equal(console_get(3, text, 1), 0);
}

static void what_is_typed_for_others_does_not_wait_for_them(void **state)
{
    char bytes[] = "\xff\x01 0123456789012345678901234567890123456789012345678901234567890123456789\xff\x02yes";
    type(bytes, sizeof(bytes) - 1);
    size_t n = 0;
    for (unsigned i = 0; i < 3; i++)
        n += console_get(2, text + n, sizeof(text));
    assert_int_equal(n, 3);
    assert_memory_equal(text, "yes", 3);
    assert_int_equal(console_get(1, text, sizeof(text)), TYPED);
    assert_memory_equal(text, bytes + 2, TYPED);
}

static void the_byte_of_a_tag_is_typed_twice(void **state)
{
    type("\xff\x05"
         "a\xff\xff"
         "b\xff\x80"
         "nobody's",
         15);
    assert_int_equal(console_get(5, text, sizeof(text)), 3);
    assert_memory_equal(text,
                        "a\xff"
                        "b",
                        3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(who_asks_loses_nothing_however_much_is_typed, setup),
        cmocka_unit_test_setup(what_is_typed_for_others_does_not_wait_for_them, setup),
        cmocka_unit_test_setup(the_byte_of_a_tag_is_typed_twice, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
