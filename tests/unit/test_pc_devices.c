/* SPDX-License-Identifier: MIT */
/* Devices that are added to those of every PC: their records lie behind the others' on one page, or the VM is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <errors.h>

#include "fake_vm.h"
#include "vm/devices/pc_devices.h"

#define HALF ((u16)((PAGE_SIZE - sizeof(struct pc_devices)) / 2 & ~7ul))

struct half {
    struct vdev dev;
    u8 last[HALF - sizeof(struct vdev)];
};

static struct vdev *made[3];
static unsigned n_made;

static u64 half_read(struct vdev *d, u32 offset, unsigned size) { return 0; }
static void half_write(struct vdev *d, u32 offset, unsigned size, u64 value) {}
static void half_reset(struct vdev *d)
{
    struct half *h = (struct half *)d;
    made[n_made++] = d;
    for (unsigned i = 0; i < sizeof(h->last); i++)
        assert_int_equal(h->last[i], 0);
    h->last[sizeof(h->last) - 1] = 1;
}

PC_DEVICE(first, .ops = { "first", half_read, half_write, half_reset, 1 }, .size = HALF, .ports = { { 0x2d0, 1 } });
PC_DEVICE(second, .ops = { "second", half_read, half_write, half_reset, 1 }, .size = HALF, .ports = { { 0x2d1, 1 } });
PC_DEVICE(third, .ops = { "third", half_read, half_write, half_reset, 1 }, .size = HALF, .ports = { { 0x2d2, 1 } });

static void those_that_find_no_room_are_refused(void **state)
{
    struct vm *vm = &fake_vms[0];
    fake_init();
    assert_int_equal(pc_devices_create(vm), -ENOSPC);
    assert_int_equal(n_made, 2);
    const char *page = (const char *)pc_parts(vm)->devices;
    assert_true((const char *)made[0] >= page + sizeof(struct pc_devices));
    assert_true((const char *)made[1] == (const char *)made[0] + HALF);
    assert_true((const char *)made[1] + HALF <= page + PAGE_SIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(those_that_find_no_room_are_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
