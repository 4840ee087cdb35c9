/* SPDX-License-Identifier: MIT */
/* pit_test.h - a guest with an 8254, for its tests. */
#ifndef AMALGAM_TESTS_PIT_TEST_H
#define AMALGAM_TESTS_PIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "fake_vm.h"

static struct vm *vm = &fake_vms[0];
#define TICKS(n) ((u64)(n)*1000000000 / 1193182 + 2) /* ns in which n counts pass */

static int setup(void **state)
{
    fake_init();
    assert_int_equal(ioapic_create(vm), 0);
    assert_int_equal(pc_devices_create(vm), 0);
    fake_timers_armed = 0;
    return 0;
}

/* The I/O APIC takes the PIT's interrupt as vector 0x30. */
static void unmask(void)
{
    fake_store(vm, 0xfec00000, 4, 0x14);
    fake_store(vm, 0xfec00010, 4, 0x30);
}

static void program(unsigned ch, u8 mode, u16 count)
{
    fake_out(vm, 0x43, 1, ch << 6 | 0x30 | mode << 1);
    fake_out(vm, 0x40 + ch, 1, count & 0xff);
    fake_out(vm, 0x40 + ch, 1, count >> 8);
}

#endif
