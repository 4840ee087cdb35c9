/* SPDX-License-Identifier: MIT */
/* Every access that a guest can make reaches one device, inside its range, under its lock; or nobody. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <errors.h>
#include <vm/vm.h>

struct cpu *host_this_cpu;
bool host_irq_on = true;

static struct vm vm;
static struct device {
    struct vdev dev;
    u8 reg[16];
    unsigned reads, writes, resets;
    bool slow;
} uart, disk;

static void check_access(const struct vdev *d, u32 offset, unsigned size)
{
    assert_true(offset + size <= sizeof(uart.reg));
    assert_false(host_irq_on);
    assert_int_not_equal(d->lock.next, d->lock.owner); /* held */
}

static u64 dev_read(struct vdev *d, u32 offset, unsigned size)
{
    struct device *x = (struct device *)d;
    u64 value = ~0ul; /* junk above the access is the dispatcher's to drop */
    check_access(d, offset, size);
    memcpy(&value, x->reg + offset, size);
    x->reads++;
    return value;
}

static void dev_write(struct vdev *d, u32 offset, unsigned size, u64 value)
{
    struct device *x = (struct device *)d;
    check_access(d, offset, size);
    memcpy(x->reg + offset, &value, size);
    x->writes++;
    if (x->slow)
        d->again = true;
}

static void dev_reset(struct vdev *d)
{
    ((struct device *)d)->resets++;
    d->again = true; /* left from an access that was under way */
}

static const struct vdev_ops ops = { "test", dev_read, dev_write, dev_reset, 8 };
static const struct vdev_ops no_reset = { "test", dev_read, dev_write, NULL, 8 };
static struct vdev_ops narrow = { "narrow", dev_read, dev_write, NULL, 1 };

static int setup(void **state)
{
    memset(&vm, 0, sizeof(vm));
    memset(&uart, 0, sizeof(uart));
    memset(&disk, 0, sizeof(disk));
    uart.dev.ops = disk.dev.ops = &ops;
    host_irq_on = true;
    return 0;
}

static u64 in(u16 port, unsigned size) { return io_read(&vm, &vm.pio, port, size); }
static bool out(u16 port, unsigned size, u64 value) { return io_write(&vm, &vm.pio, port, size, value); }

static void test_ranges_do_not_overlap(void **state)
{
    assert_int_equal(vm_claim_pio(&vm, 0x3f8, 8, &uart.dev), 0);
    assert_int_equal(vm_claim_pio(&vm, 0x3ff, 1, &disk.dev), -EEXIST);
    assert_int_equal(vm_claim_pio(&vm, 0x3f0, 9, &disk.dev), -EEXIST);
    assert_int_equal(vm_claim_pio(&vm, 0x3f0, 32, &disk.dev), -EEXIST);
    assert_int_equal(vm_claim_pio(&vm, 0x3f0, 8, &disk.dev), 0);
    assert_int_equal(vm_claim_pio(&vm, 0x400, 16, &disk.dev), 0);
    assert_int_equal(vm_claim_mmio(&vm, 0x3f8, 8, &disk.dev), 0); /* another space */
}

/* Whatever the order in which they are claimed, and one that was refused leaves no gap. */
static void test_ranges_of_a_device_are_numbered_on(void **state)
{
    assert_int_equal(vm_claim_pio(&vm, 0xa0, 2, &uart.dev), 0);
    assert_int_equal(vm_claim_pio(&vm, 0xa1, 2, &uart.dev), -EEXIST);
    assert_int_equal(vm_claim_pio(&vm, 0x20, 4, &uart.dev), 0);
    assert_true(out(0xa1, 1, 0x11));
    assert_true(out(0x20, 2, 0x3322));
    assert_int_equal(uart.reg[1], 0x11);
    assert_int_equal(uart.reg[2], 0x22);
    assert_int_equal(in(0x21, 1), 0x33);
    assert_int_equal(in(0x23, 1), uart.reg[5]);
}

static void test_the_table_has_an_end(void **state)
{
    for (unsigned i = 0; i < IO_RANGES; i++)
        assert_int_equal(vm_claim_mmio(&vm, 0xd0000000 + i * 0x1000ul, 0x1000, &disk.dev), 0);
    assert_int_equal(vm_claim_mmio(&vm, 0xfec00000, 0x1000, &uart.dev), -ENOSPC);
    assert_int_equal(vm.mmio.n, IO_RANGES);
}

static void test_nobody_answers_with_ones(void **state)
{
    assert_int_equal(in(0x80, 1), 0xff);
    assert_int_equal(in(0x80, 2), 0xffff);
    assert_int_equal(in(0x80, 4), 0xffffffff);
    assert_int_equal(io_read(&vm, &vm.mmio, ~0ul, 8), ~0ul);
    assert_true(out(0x80, 1, 0));
    assert_int_equal(vm_claim_pio(&vm, 0x3f8, 16, &uart.dev), 0);
    assert_int_equal(in(0x3f7, 1), 0xff);
    assert_int_equal(in(0x408, 1), 0xff);
    assert_int_equal(uart.reads, 0);
}

static void test_values_are_as_wide_as_the_access(void **state)
{
    assert_int_equal(vm_claim_pio(&vm, 0x3f8, 16, &uart.dev), 0);
    assert_true(out(0x3f8, 1, 0x1234567890abcdef));
    assert_int_equal(uart.reg[0], 0xef);
    assert_int_equal(uart.reg[1], 0);
    assert_int_equal(in(0x3f8, 1), 0xef);
    assert_int_equal(in(0x3f8, 4), 0xef);
    assert_int_equal(in(0x400, 8), 0);
    assert_true(host_irq_on);
    assert_int_equal(uart.dev.lock.next, uart.dev.lock.owner);
}

/* Half of the access is the neighbour's. */
static void test_an_access_over_the_end_goes_byte_by_byte(void **state)
{
    assert_int_equal(vm_claim_pio(&vm, 0x100, 16, &uart.dev), 0);
    assert_int_equal(vm_claim_pio(&vm, 0x110, 16, &disk.dev), 0);
    assert_true(out(0x10e, 4, 0x44332211));
    assert_int_equal(uart.reg[14], 0x11);
    assert_int_equal(uart.reg[15], 0x22);
    assert_int_equal(disk.reg[0], 0x33);
    assert_int_equal(disk.reg[1], 0x44);
    assert_int_equal(in(0x10e, 4), 0x44332211);
    assert_int_equal(in(0x11e, 4), 0xffff0000); /* and half is nobody's */
    assert_int_equal(io_read(&vm, &vm.mmio, ~0ul - 1, 4),
                     0xffffffff); /* and the end of all addresses is no end of memory */
}

static void test_a_device_asks_for_the_access_again_once(void **state)
{
    assert_int_equal(vm_claim_pio(&vm, 0x100, 16, &uart.dev), 0);
    uart.slow = true;
    assert_false(out(0x100, 1, 1));
    assert_false(out(0x10f, 2, 1));
    uart.slow = false;
    assert_true(out(0x100, 1, 1));
    assert_int_equal(uart.writes, 3);
}

/* A bus splits an access that is wider than its device, low address first. */
static void a_wide_access_reaches_a_narrow_device_in_parts(void **state)
{
    uart.dev.ops = &narrow;
    assert_int_equal(vm_claim_pio(&vm, 0x100, 16, &uart.dev), 0);
    for (unsigned width = 1; width <= 8; width *= 2)
        for (unsigned size = 1; size <= 8; size *= 2) {
            unsigned parts = size > width ? size / width : 1;
            narrow.width = (u8)width;
            memset(uart.reg, 0, sizeof(uart.reg));
            uart.reads = uart.writes = 0;
            assert_true(out(0x104, size, 0x8877665544332211));
            assert_int_equal(uart.writes, parts);
            for (unsigned i = 0; i < 8; i++)
                assert_int_equal(uart.reg[4 + i], i < size ? 0x11 * (i + 1) : 0);
            assert_true(in(0x104, size) == (0x8877665544332211 & (~0ul >> (64 - 8 * size))));
            assert_int_equal(uart.reads, parts);
        }
}

/* The parts behind one that is to be repeated wait for it. */
static void a_part_that_is_repeated_ends_the_access(void **state)
{
    uart.dev.ops = &narrow;
    narrow.width = 1;
    assert_int_equal(vm_claim_pio(&vm, 0x100, 16, &uart.dev), 0);
    uart.slow = true;
    assert_false(out(0x100, 4, 0x44332211));
    assert_int_equal(uart.writes, 1);
    uart.slow = false;
    assert_true(out(0x100, 4, 0x44332211));
    assert_int_equal(uart.reg[3], 0x44);
}

static void test_the_latest_range_is_only_a_hint(void **state)
{
    assert_int_equal(vm_claim_pio(&vm, 0x100, 16, &uart.dev), 0);
    assert_int_equal(vm_claim_pio(&vm, 0x200, 16, &disk.dev), 0);
    for (unsigned i = 0; i < 3; i++) {
        out(0x200, 1, 7);
        out(0x100, 1, 9);
        vm.pio.last = i % 2;
        assert_int_equal(in(0x200, 1), 7);
        assert_int_equal(in(0x100, 1), 9);
    }
}

static void test_each_device_is_reset_once(void **state)
{
    disk.dev.ops = &no_reset;
    assert_int_equal(vm_claim_pio(&vm, 0x100, 16, &uart.dev), 0);
    assert_int_equal(vm_claim_pio(&vm, 0x200, 16, &disk.dev), 0);
    assert_int_equal(vm_claim_pio(&vm, 0x300, 16, &uart.dev), 0);
    vm_devices_reset(&vm);
    assert_int_equal(uart.resets, 1);
    assert_false(uart.dev.again);
}

/* Another vCPU is in the device, and stops there for a thousand interrupts. */
void (*host_at_enable)(void);
static unsigned interrupts;
static void interrupt(void)
{
    if (++interrupts == 1000)
        spin_unlock(&uart.dev.lock);
}

static void who_waits_for_a_device_takes_interrupts(void **state)
{
    u64 value = 0;
    interrupts = 0;
    assert_int_equal(vm_claim_pio(&vm, 0x3f8, 8, &uart.dev), 0);
    spin_lock(&uart.dev.lock);
    host_at_enable = interrupt;
    assert_true(io_access(&vm.pio, 0x3f8, 1, false, &value));
    host_at_enable = NULL;
    assert_int_equal(interrupts, 1001); /* and when it has its answer */
    assert_int_equal(uart.reads, 1);
    assert_true(host_irq_on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_ranges_do_not_overlap, setup),
        cmocka_unit_test_setup(test_ranges_of_a_device_are_numbered_on, setup),
        cmocka_unit_test_setup(test_the_table_has_an_end, setup),
        cmocka_unit_test_setup(test_nobody_answers_with_ones, setup),
        cmocka_unit_test_setup(test_values_are_as_wide_as_the_access, setup),
        cmocka_unit_test_setup(test_an_access_over_the_end_goes_byte_by_byte, setup),
        cmocka_unit_test_setup(test_a_device_asks_for_the_access_again_once, setup),
        cmocka_unit_test_setup(a_wide_access_reaches_a_narrow_device_in_parts, setup),
        cmocka_unit_test_setup(a_part_that_is_repeated_ends_the_access, setup),
        cmocka_unit_test_setup(test_the_latest_range_is_only_a_hint, setup),
        cmocka_unit_test_setup(test_each_device_is_reset_once, setup),
        cmocka_unit_test_setup(who_waits_for_a_device_takes_interrupts, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
