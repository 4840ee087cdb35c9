/* SPDX-License-Identifier: MIT */
/* load_test.h - for tests of guest_load(): a guest's memory, a request, and what every load has to leave behind. */
#ifndef AMALGAM_TESTS_LOAD_TEST_H
#define AMALGAM_TESTS_LOAD_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include <bytes.h>
#include <vm/system_part.h>
#include <errors.h>
#include <string.h>
#include <vm/load.h>
#include "images.h"

#define RAM_SIZE (32 * MIB)
#define INFO     0x8000
static struct guest_memory mem;
static struct load_request r;
static struct guest_entry e;
static const char *why;
static u8 *ram;
static u8 image[65536], initrd[5000];
static char refusal[LOAD_REFUSAL];

static int setup(void **state)
{
    ram = mem.range[0].host;
    memset(ram, 0xee, RAM_SIZE);
    memset(image, 0, sizeof(image));
    memset(initrd, 0x5a, sizeof(initrd));
    r = (struct load_request){ .memory = &mem,
                               .kernel = image,
                               .kernel_size = sizeof(image),
                               .initrd = initrd,
                               .initrd_size = sizeof(initrd),
                               .cmdline = "console=ttyS0",
                               .refusal = refusal,
                               .rsdp = 0xe0000 };
    return 0;
}

static int load(u8 boot)
{
    u8 *exact = malloc(r.kernel_size ? r.kernel_size : 1); /* ASan sees reads past the image */
    memcpy(exact, image, r.kernel_size);
    r.kernel = exact;
    r.boot = boot;
    int err = guest_load(&r, &e, &why);
    free(exact);
    assert_true(err ? why != NULL : why == NULL);
    return err;
}

static void check_initrd(u64 at)
{
    assert_int_equal(at, ALIGN_DOWN(RAM_SIZE - sizeof(initrd), PAGE_SIZE));
    assert_memory_equal(ram + at, initrd, sizeof(initrd));
}

static void check_flat32(u64 rip)
{
    assert_int_equal(e.rip, rip);
    assert_int_equal(e.cr0, 0x11);
    assert_int_equal(e.cr4 | e.efer | e.cr3, 0);
    assert_int_equal(e.cs.attributes, 0xc9b);
    assert_int_equal(e.data.attributes, 0xc93);
    assert_int_equal(e.cs.limit, 0xffffffff);
    assert_int_equal(e.rflags, 2);
}

/* The group's setup and teardown. */
static int ram_get(void **state)
{
    mem = (struct guest_memory){ 1, { { 0, malloc(RAM_SIZE), RAM_SIZE } } };
    return !mem.range[0].host;
}

static int ram_put(void **state)
{
    free(mem.range[0].host);
    return 0;
}

#endif
