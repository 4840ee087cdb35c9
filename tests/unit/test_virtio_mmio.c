/* SPDX-License-Identifier: MIT */
/* The MMIO transport (virtio 1.2, 4.2.2): registers, negotiation, queue set-up, status, and drivers that break rules.
 */
#include "virtio_test.h"

static struct vm *vm = &fake_vms[0];
static struct drv d;

static int setup(void **state)
{
    struct sys_device conf = { .type = SYS_DEV_RNG, .slot = 2 };
    fake_init();
    d = plugged(vm, &conf);
    return 0;
}

static void identifies_itself(void **state)
{
    assert_int_equal(drv_get(&d, 0), 0x74726976);
    assert_int_equal(drv_get(&d, 4), 2);
    assert_int_equal(drv_get(&d, 8), 4);
    assert_int_equal(drv_get(&d, 0xfc), 0);
    assert_int_equal(drv_get(&d, 0xb0), 0xffffffff);
    assert_int_equal(drv_get(&d, 0xb8), 0xffffffff);
    assert_int_equal(drv_get(&d, 0x34), 256);
    drv_set(&d, 0x30, 1);
    assert_int_equal(drv_get(&d, 0x34), 0);
}

static void no_entropy_no_device(void **state)
{
    struct sys_device conf = { .type = SYS_DEV_RNG, .slot = 3 };
    fake_entropy = -ENODEV;
    d = plugged(vm, &conf);
    assert_int_equal(drv_get(&d, 0), 0x74726976);
    assert_int_equal(drv_get(&d, 8), 0);
    drv_start(&d, 1);
    drv_kick(&d, 0);
    assert_int_equal(drv_get(&d, 0x34), 0);
}

static void a_queue_that_is_not_ready_has_nothing(void **state)
{
    drv_start(&d, 0);
    drv_kick(&d, 0);
    assert_false(drv_broken(&d));
    assert_int_equal(fake_repeats, 0);
}

static void slots_and_types_are_checked(void **state)
{
    struct sys_device conf = { .type = SYS_DEV_RNG, .slot = 8 };
    assert_int_equal(virtio_create(vm, &conf, NULL), -ERANGE);
    conf.slot = 2;
    assert_int_equal(virtio_create(vm, &conf, NULL), -EEXIST);
    conf.type = SYS_DEV_UART;
    assert_int_equal(virtio_create(vm, &conf, NULL), -EINVAL);
}

static void offers_version_1_and_indirect(void **state)
{
    drv_set(&d, 0x14, 0);
    assert_int_equal(drv_get(&d, 0x10), 1 << 28);
    drv_set(&d, 0x14, 1);
    assert_int_equal(drv_get(&d, 0x10), 1);
    drv_set(&d, 0x14, 2);
    assert_int_equal(drv_get(&d, 0x10), 0);
}

static void accepts_only_what_it_offered_with_version_1(void **state)
{
    drv_features(&d, 1ull << 32 | 1 << 28);
    assert_int_equal(drv_get(&d, 0x70), 11);
    drv_features(&d, 1ull << 32);
    assert_int_equal(drv_get(&d, 0x70), 11);
    drv_features(&d, 1 << 28);
    assert_int_equal(drv_get(&d, 0x70), 3);
    drv_features(&d, 1ull << 32 | 1);
    assert_int_equal(drv_get(&d, 0x70), 3);
    drv_features(&d, 1ull << 63 | 1ull << 32);
    assert_int_equal(drv_get(&d, 0x70), 3);
}

static void features_are_settled_once_accepted(void **state)
{
    drv_start(&d, 1);
    drv_set(&d, 0x24, 1);
    drv_set(&d, 0x20, 0);
    drv_set(&d, 0x70, 15);
    assert_int_equal(drv_get(&d, 0x70), 15);
}

static void driver_ok_without_features_ok_is_refused(void **state)
{
    drv_set(&d, 0x70, 7);
    assert_true(drv_broken(&d));
    drv_set(&d, 0x70, 0);
    assert_int_equal(drv_get(&d, 0x70), 0);
}

static void status_bits_are_not_taken_back(void **state)
{
    drv_start(&d, 1);
    drv_set(&d, 0x70, 1);
    assert_int_equal(drv_get(&d, 0x70), 15);
    drv_set(&d, 0x70, 0x40); /* not the driver's to set */
    assert_int_equal(drv_get(&d, 0x70), 15);
}

static void queue_sizes_are_checked(void **state)
{
    static const u32 bad[] = { 0, 3, 257, 512, 0x80000000, 0xffffffff };
    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        drv_features(&d, 1ull << 32);
        drv_set(&d, 0x38, bad[i]);
        assert_true(drv_broken(&d));
    }
    drv_features(&d, 1ull << 32);
    drv_set(&d, 0x38, 256);
    assert_false(drv_broken(&d));
}

static void ring_with(u32 reg, u32 low, u32 high, bool good)
{
    drv_features(&d, 1ull << 32);
    drv_set(&d, 0x38, DRV_QUEUE);
    drv_set(&d, 0x80, DRV_DESC(0));
    drv_set(&d, 0x90, DRV_AVAIL(0));
    drv_set(&d, 0xa0, DRV_USED(0));
    drv_set(&d, reg, low);
    drv_set(&d, reg + 4, high);
    drv_set(&d, 0x44, 1);
    assert_int_equal(drv_get(&d, 0x44), good);
    assert_int_equal(drv_broken(&d), !good);
}

static void rings_lie_in_ram_and_aligned(void **state)
{
    for (u32 reg = 0x80; reg <= 0xa0; reg += 0x10) {
        ring_with(reg, 0x40000, 0, true);
        ring_with(reg, 0x40000, 1, true); /* the RAM above 4 GiB */
        ring_with(reg, 0x40000, 2, false);
        ring_with(reg, FAKE_RAM, 0, false);
        ring_with(reg, 0xfffffff0, 0xffffffff, false);
        ring_with(reg, 0x40001, 0, false);
    }
    ring_with(0x80, 0x40008, 0, false);
    ring_with(0x80, FAKE_RAM - 16 * DRV_QUEUE, 0, true);
    ring_with(0x80, FAKE_RAM - 16 * DRV_QUEUE + 16, 0, false);
    ring_with(0x90, FAKE_RAM - 4 - 2 * DRV_QUEUE, 0, true);
    ring_with(0x90, FAKE_RAM - 2 - 2 * DRV_QUEUE, 0, false);
    ring_with(0xa0, FAKE_RAM - 4 - 8 * DRV_QUEUE, 0, true);
    ring_with(0xa0, FAKE_RAM - 8 * DRV_QUEUE, 0, false);
    ring_with(0xa0, 0x40002, 0, false);
}

static void a_ready_queue_without_a_size_is_refused(void **state)
{
    drv_features(&d, 1ull << 32);
    drv_set(&d, 0x44, 1);
    assert_int_equal(drv_get(&d, 0x44), 0);
    assert_true(drv_broken(&d));
}

static void a_ready_queue_is_not_moved(void **state)
{
    drv_start(&d, 1);
    drv_set(&d, 0x80, 0x50000);
    assert_true(drv_broken(&d));
    drv_start(&d, 1);
    drv_set(&d, 0x44, 1); /* nor begun anew */
    assert_true(drv_broken(&d));
    assert_int_equal(drv_get(&d, 0x60), 2); /* told by a configuration interrupt */
    assert_true(vm->line[d.gsi]);
    drv_set(&d, 0x70, 0);
    assert_false(vm->line[d.gsi]);
}

static void a_broken_device_serves_nobody(void **state)
{
    drv_start(&d, 1);
    drv_set(&d, 0x38, 4);
    drv_desc(&d, 0, 0, 0x2000, 8, DRV_WRITE, 0);
    drv_offer(&d, 0, 0);
    drv_kick(&d, 0);
    assert_int_equal(drv_used(&d, 0), 0);
    drv_start(&d, 1); /* until it is reset */
    drv_desc(&d, 0, 0, 0x2000, 8, DRV_WRITE, 0);
    drv_offer(&d, 0, 0);
    drv_kick(&d, 0);
    assert_int_equal(drv_used(&d, 0), 1);
}

static void notifications_before_driver_ok_or_of_no_queue_do_nothing(void **state)
{
    drv_features(&d, 1ull << 32);
    drv_queue(&d, 0);
    drv_desc(&d, 0, 0, 0x2000, 8, DRV_WRITE, 0);
    drv_offer(&d, 0, 0);
    drv_kick(&d, 0);
    assert_int_equal(drv_used(&d, 0), 0);
    drv_set(&d, 0x70, 15);
    drv_kick(&d, 1);
    drv_kick(&d, 0xffffffff);
    assert_int_equal(drv_used(&d, 0), 0);
}

static void interrupts_until_acknowledged(void **state)
{
    drv_start(&d, 1);
    drv_desc(&d, 0, 0, 0x2000, 8, DRV_WRITE, 0);
    drv_offer(&d, 0, 0);
    drv_kick(&d, 0);
    assert_int_equal(drv_ram(&d, 0x2000)[7], 0x5a);
    assert_int_equal(drv_used_len(&d, 0, 0), 8);
    assert_true(vm->line[d.gsi]);
    assert_int_equal(drv_get(&d, 0x60), 1);
    drv_set(&d, 0x64, 2);
    assert_true(vm->line[d.gsi]);
    drv_set(&d, 0x64, 1);
    assert_false(vm->line[d.gsi]);
    drv_set_u16(&d, DRV_AVAIL(0), 1); /* NO_INTERRUPT */
    drv_offer(&d, 0, 0);
    drv_kick(&d, 0);
    assert_int_equal(drv_used(&d, 0), 2);
    assert_false(vm->line[d.gsi]);
}

static void other_widths_do_nothing(void **state)
{
    assert_int_equal(fake_load(vm, d.base, 1), 0);
    assert_int_equal(fake_load(vm, d.base, 8), 0);
    assert_int_equal(fake_load(vm, d.base + 2, 4), 0);
    fake_store(vm, d.base + 0x70, 1, 1);
    assert_int_equal(drv_get(&d, 0x70), 0);
    assert_int_equal(fake_load(vm, d.base + 0x100, 8), 0); /* no configuration space */
    assert_int_equal(fake_load(vm, d.base + 0xffc, 4), 0);
}

static void reset_is_complete(void **state)
{
    drv_start(&d, 1);
    fake_reset_devices(vm);
    assert_int_equal(drv_get(&d, 0x70), 0);
    assert_int_equal(drv_get(&d, 0x44), 0);
    assert_int_equal(drv_get(&d, 0x60), 0);
}

/* A random number takes a microsecond. */
static void randomness_comes_in_sips_an_exit_each(void **state)
{
    fake_init();
    struct sys_device conf = { .type = SYS_DEV_RNG };
    struct drv d = plugged(vm, &conf);
    drv_start(&d, 1);
    for (u16 i = 0; i < 4; i++) {
        drv_desc(&d, 0, i, 0x2000, 64, DRV_WRITE, 0);
        drv_offer(&d, 0, i);
    }
    drv_kick(&d, 0);
    assert_int_equal(drv_used(&d, 0), 4);
    assert_int_equal(fake_repeats, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(identifies_itself, setup),
        cmocka_unit_test_setup(a_queue_that_is_not_ready_has_nothing, setup),
        cmocka_unit_test_setup(no_entropy_no_device, setup),
        cmocka_unit_test_setup(slots_and_types_are_checked, setup),
        cmocka_unit_test_setup(offers_version_1_and_indirect, setup),
        cmocka_unit_test_setup(accepts_only_what_it_offered_with_version_1, setup),
        cmocka_unit_test_setup(features_are_settled_once_accepted, setup),
        cmocka_unit_test_setup(driver_ok_without_features_ok_is_refused, setup),
        cmocka_unit_test_setup(status_bits_are_not_taken_back, setup),
        cmocka_unit_test_setup(queue_sizes_are_checked, setup),
        cmocka_unit_test_setup(rings_lie_in_ram_and_aligned, setup),
        cmocka_unit_test_setup(a_ready_queue_without_a_size_is_refused, setup),
        cmocka_unit_test_setup(a_ready_queue_is_not_moved, setup),
        cmocka_unit_test_setup(a_broken_device_serves_nobody, setup),
        cmocka_unit_test_setup(notifications_before_driver_ok_or_of_no_queue_do_nothing, setup),
        cmocka_unit_test_setup(interrupts_until_acknowledged, setup),
        cmocka_unit_test_setup(other_widths_do_nothing, setup),
        cmocka_unit_test_setup(reset_is_complete, setup),
        cmocka_unit_test(randomness_comes_in_sips_an_exit_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
