/* SPDX-License-Identifier: MIT */
/* Files of native programs: a right one is loaded and relocated, whatever else is refused or stays within its memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errors.h>
#include <native/elf32.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY 8192u

/* Header, three program headers, then what lies in memory from 0 on: a word, the relocations, the dynamic section. */
static struct file {
    struct {
        u8 ident[16];
        u16 type, machine;
        u32 version, entry, phoff, shoff, flags;
        u16 ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
    } header;
    struct {
        u32 type, offset, vaddr, paddr, filesz, memsz, flags, align;
    } segment[3];
    struct {
        u32 word, tail;
        u32 relocation[2][2];
        u32 dynamic[3][2];
    } image;
} file;

static struct elf32_image image;
static const char *why;

static void right(void)
{
    u32 at = offsetof(struct file, image), size = sizeof(file.image);
    file = (struct file){
        .header = { .ident = { 0x7f, 'E', 'L', 'F', 1, 1, 1 }, 3, 3, 1, .phoff = 52, .phentsize = 32, .phnum = 2 },
        .segment = { { 1, at, 0, 0, size, size + 4000, 7, 4096 }, { 2, at + 24, 24, 24, 24, 24, 6, 4 } },
        .image = { 0x10, 0x20, { { 0, 8 }, { 4, 8 } }, { { 17, 8 }, { 18, 16 }, { 0, 0 } } },
    };
}

/* Data that are shared begin at `at`. */
static void shared(u32 at)
{
    right();
    file.header.phnum = 3;
    file.segment[0].memsz = 8000;
    file.segment[2] = file.segment[1];
    file.segment[1].type = ELF32_SHARED;
    file.segment[1].vaddr = at;
}

static int read(void) { return elf32_read(&file, sizeof(file), MEMORY, &image, &why); }

static void refused(const char *part)
{
    assert_int_equal(read(), -ENOEXEC);
    assert_non_null(__builtin_strstr(why, part));
    right();
}

static void a_right_file_is_loaded_and_relocated(void **state)
{
    u8 *memory = calloc(1, MEMORY);
    u32 base = (u32)(uintptr_t)memory, word[2];
    right();
    assert_int_equal(read(), 0);
    assert_int_equal(image.size, sizeof(file.image) + 4000);
    assert_int_equal(image.n_relocations, 2);
    assert_int_equal(elf32_load(&file, &image, memory, &why), 0);
    memcpy(word, memory, sizeof(word));
    assert_int_equal(word[0], base + 0x10);
    assert_int_equal(word[1], base + 0x20);
    free(memory);
}

static void wrong_files_are_refused(void **state)
{
    right();
    file.header.ident[4] = 2;
    refused("no ELF32");
    file.header.machine = 62;
    refused("i386");
    file.header.phoff = 0xffffffff;
    refused("headers lie outside");
    file.header.phnum = 65;
    refused("headers lie outside");
    file.segment[0].offset = 0xfffffff0;
    refused("outside the program's file");
    file.segment[0].filesz = file.segment[0].memsz + 1;
    refused("outside the program's file");
    file.segment[0].memsz = MEMORY + 1;
    refused("does not fit");
    file.segment[0].vaddr = 0xfffffff0;
    refused("does not fit");
    file.segment[1] = file.segment[0];
    refused("overlap");
    file.segment[1].type = 3;
    refused("dynamic linker");
    file.segment[1].type = 7;
    refused("thread-local");
    file.segment[1].filesz = 0xffffffff;
    refused("dynamic section lies outside");
    file.header.entry = file.segment[0].memsz;
    refused("entry");
    file.image.dynamic[0][0] = 1;
    refused("shared libraries");
    file.image.dynamic[0][1] = 0xfffffff0;
    refused("relocations lie outside");
    file.image.dynamic[1][1] = 0xffffffff;
    refused("relocations lie outside");
    assert_int_equal(elf32_read(&file, 51, MEMORY, &image, &why), -ENOEXEC);
}

static void a_shared_program_says_where_its_data_begin(void **state)
{
    right();
    assert_int_equal(read(), 0);
    assert_int_equal(image.shared, 0);
    shared(4096);
    assert_int_equal(read(), 0);
    assert_int_equal(image.shared, 4096);
    file.segment[0].memsz = 4000;
    refused("shared data");
    shared(4100);
    refused("shared data");
    shared(4096);
    file.segment[2].type = 7; /* variables of its threads: behind what says that it is shared */
    assert_int_equal(read(), 0);
    file.segment[2] = file.segment[1];
    file.segment[1].type = 7;
    refused("thread-local");
}

static void wrong_relocations_are_refused(void **state)
{
    u8 *memory = calloc(1, MEMORY);
    right();
    file.image.relocation[1][1] = 1;
    assert_int_equal(read(), 0);
    assert_int_equal(elf32_load(&file, &image, memory, &why), -ENOEXEC);
    right();
    file.image.relocation[1][0] = sizeof(file.image) + 4000 - 3;
    assert_int_equal(elf32_load(&file, &image, memory, &why), -ENOEXEC);
    free(memory);
}

/* Any bytes: refused, or loaded within the memory that was asked for (the address sanitizer looks). */
static void rubbish_stays_within_its_memory(void **state)
{
    unsigned loaded = 0;
    srandom(1);
    for (unsigned round = 0; round < 20000; round++) {
        right();
        for (unsigned i = 0; i < 1 + round % 3; i++)
            ((u8 *)&file)[random() % (long)sizeof(file)] = (u8)random();
        if (read())
            continue;
        assert_true(image.size <= MEMORY);
        u8 *memory = calloc(1, image.size + !image.size);
        loaded += !elf32_load(&file, &image, memory, &why);
        free(memory);
    }
    assert_in_range(loaded, 1000, 19000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_file_is_loaded_and_relocated),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(a_shared_program_says_where_its_data_begin),
        cmocka_unit_test(wrong_relocations_are_refused),
        cmocka_unit_test(rubbish_stays_within_its_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
