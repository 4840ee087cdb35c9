/* SPDX-License-Identifier: MIT */
/* What program_parse() promises: the segments of a good file, and a precise no to any other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include <errors.h>
#include <hal/space.h>
#include <process/program.h>

#include "program_image.h"

#define MEMORY 0x10000u
static u8 file[PROGRAM_FILE];
static struct program p;

static int setup(void **state)
{
    program_image(file);
    return 0;
}

/* In an allocation of exactly its size, so that ASan sees a read past it. NULL: accepted. */
static const char *refusal(u64 size)
{
    const char *why = NULL;
    u8 *exact = malloc(size ? size : 1);
    memcpy(exact, file, size);
    int err = program_parse(exact, size, MEMORY, &p, &why);
    free(exact);
    assert_int_equal(err, why ? -ENOEXEC : 0);
    return why;
}

static void test_a_good_file_is_its_segments(void **state)
{
    assert_null(refusal(PROGRAM_FILE));
    assert_int_equal(p.n, 3);
    assert_int_equal(p.size, 0x6000);
    assert_int_equal(p.entry, 0x1010);
    assert_int_equal(p.headers, EH_SIZE);
    assert_int_equal(p.n_headers, 3);
    assert_int_equal(p.segment[1].rights, SPACE_EXEC);
    const struct program_segment *data = &p.segment[2];
    assert_int_equal(data->rights, SPACE_WRITE);
    assert_int_equal(data->at, 0x3000);
    assert_int_equal(data->skip, 0x100);
    assert_int_equal(data->size, 0x3000);
    assert_int_equal(data->file, 0x2100);
    assert_int_equal(data->file_size, 0x600);
}

static void test_a_file_that_is_cut_is_refused(void **state)
{
    for (u64 size = 0; size < 0x2700; size += size < 512 ? 1 : 97)
        assert_non_null(refusal(size));
    assert_null(refusal(0x2700));
}

static void expect(const char *part, unsigned at, unsigned bytes, u64 value)
{
    u8 saved[8];
    memcpy(saved, file + at, 8);
    for (unsigned i = 0; i < bytes; i++)
        file[at + i] = (u8)(value >> 8 * i);
    const char *why = refusal(PROGRAM_FILE);
    if (!why || !__builtin_strstr(why, part))
        fail_msg("byte %u: \"%s\" where \"%s\" was expected", at, why ? why : "accepted", part);
    memcpy(file + at, saved, 8);
}

static void test_each_lie_is_named(void **state)
{
    const unsigned code = PROGRAM_AT(1), data = PROGRAM_AT(2);
    expect("no " ELF_NAME, 0, 1, 0);
    expect("no " ELF_NAME, 4, 1, 3 - SPACE_ELF_CLASS);
    expect("not position-independent", 16, 2, 2);
    expect("another processor", 18, 2, 40);
    expect("headers lie outside", EH_PHOFF, WORD, ~0ull);
    expect("headers lie outside", EH_PHOFF, WORD, PROGRAM_FILE - PROGRAM_HEADERS * PH_SIZE + 1);
    expect("headers lie outside", EH_PHENTSIZE, 2, 64);
    expect("headers lie outside", EH_PHNUM, 2, 65);
    expect("not in its code", EH_ENTRY, WORD, 0x3100);
    expect("not in its code", EH_ENTRY, WORD, ~0ull);
    expect("not in its code", EH_ENTRY, WORD, 0x2000);
    expect("dynamic linker", code, 4, 3);
    expect("writable and executable", code + PH_FLAGS, 4, 7);
    expect("outside the program's file", data + PH_OFFSET, WORD, PROGRAM_FILE - 0x5ff);
    expect("outside the program's file", data + PH_OFFSET, WORD, ~0ull);
    expect("outside the program's file", data + PH_FILESZ, WORD, 0x2001);
    expect("fit into its memory", data + PH_MEMSZ, WORD, MEMORY - 0x30ff);
    expect("fit into its memory", data + PH_MEMSZ, WORD, ~0ull);
    expect("fit into its memory", data + PH_VADDR, WORD, ~0ull);
    expect("share a page", data + PH_VADDR, WORD, 0x1f00);
    expect("share a page", data + PH_VADDR, WORD, 0x800);
}

static void test_a_ninth_segment_is_refused(void **state)
{
    put16(file + EH_PHNUM, 9);
    for (unsigned i = 3; i < 9; i++)
        program_segment(file, i, 4, 0, 0x6000 + i * 0x1000, 16, 16);
    assert_string_equal(refusal(PROGRAM_FILE), "the program has more than 8 segments");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_a_good_file_is_its_segments, setup),
        cmocka_unit_test_setup(test_a_file_that_is_cut_is_refused, setup),
        cmocka_unit_test_setup(test_each_lie_is_named, setup),
        cmocka_unit_test_setup(test_a_ninth_segment_is_refused, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
