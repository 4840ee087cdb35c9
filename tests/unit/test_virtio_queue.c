/* SPDX-License-Identifier: MIT */
/* The virtqueue walker against rings that lie: loops, wild addresses, wrong order, indirect tables, index jumps. */
#include "virtio_test.h"

static struct vm *vm = &fake_vms[0];
static struct drv d;
enum { RX, TX };

/* The console's transmit queue shows what the walker read. */
static int setup(void **state)
{
    struct sys_device conf = { .type = SYS_DEV_CONSOLE };
    fake_init();
    d = plugged(vm, &conf);
    drv_start(&d, 2);
    memcpy(drv_ram(&d, 0x2000), "abcdefghijklmnop", 16);
    return 0;
}

static void send(void)
{
    drv_offer(&d, TX, 0);
    drv_kick(&d, TX);
}

static void says(const char *text)
{
    assert_false(drv_broken(&d));
    assert_int_equal(drv_used(&d, TX), 1);
    assert_int_equal(vm->console_n, strlen(text));
    assert_memory_equal(vm->console, text, vm->console_n);
}

static void refused(void)
{
    assert_true(drv_broken(&d));
    assert_int_equal(drv_used(&d, TX), 0);
    assert_int_equal(vm->console_n, 0);
}

static void a_chain_of_pieces(void **state)
{
    drv_desc(&d, TX, 0, 0x2000, 2, DRV_NEXT, 5);
    drv_desc(&d, TX, 5, 0x2004, 0, DRV_NEXT, 2); /* an empty one on the way */
    drv_desc(&d, TX, 2, 0x200a, 3, 0, 7);        /* `next` without the flag means nothing */
    send();
    says("abklm");
}

static void the_ring_wraps(void **state)
{
    for (int i = 0; i < 70000; i++) { /* the 16-bit indices, too */
        drv_desc(&d, TX, i % 8, 0x2000, 1, 0, 0);
        drv_offer(&d, TX, i % 8);
        drv_kick(&d, TX);
        assert_int_equal(drv_used(&d, TX), (u16)(i + 1));
    }
    assert_false(drv_broken(&d));
}

static void a_loop_ends(void **state)
{
    drv_desc(&d, TX, 0, 0x2000, 1, DRV_NEXT, 1);
    drv_desc(&d, TX, 1, 0x2000, 1, DRV_NEXT, 0);
    send();
    refused();
}

static void a_head_or_next_outside_the_table(void **state)
{
    drv_offer(&d, TX, DRV_QUEUE);
    drv_kick(&d, TX);
    refused();
    setup(state);
    drv_desc(&d, TX, 0, 0x2000, 1, DRV_NEXT, DRV_QUEUE);
    send();
    refused();
}

static void addresses_outside_ram(void **state)
{
    static const struct {
        u64 addr;
        u32 len;
    } bad[] = {
        { FAKE_RAM - 1, 2 },
        { FAKE_RAM, 1 },
        { -1ull, 1 },
        { -8ull, 0x10 },
        { 0, 0xffffffff },
        { 0xd0000000, 4 },
        { 4 * GIB - 1, 1 },
        { 4 * GIB + FAKE_RAM - 3, 4 },
        { 0x7fffffffffffffff, 0xffffffff },
    };
    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        setup(state);
        drv_desc(&d, TX, 0, bad[i].addr, bad[i].len, 0, 0);
        send();
        refused();
    }
}

static void memory_above_four_gib(void **state)
{
    memcpy(drv_ram(&d, 4 * GIB + FAKE_RAM - 3), "xyz", 3);
    drv_desc(&d, TX, 0, 4 * GIB + FAKE_RAM - 3, 3, 0, 0);
    send();
    says("xyz");
}

static void readable_after_writable_is_refused(void **state)
{
    drv_desc(&d, TX, 0, 0x3000, 1, DRV_NEXT | DRV_WRITE, 1);
    drv_desc(&d, TX, 1, 0x2000, 1, 0, 0);
    send();
    refused();
}

static void an_index_that_jumps_is_refused(void **state)
{
    drv_desc(&d, TX, 0, 0x2000, 1, 0, 0);
    drv_set_u16(&d, DRV_AVAIL(TX) + 2, DRV_QUEUE + 1);
    drv_kick(&d, TX);
    refused();
}

static void an_indirect_table(void **state)
{
    drv_desc(&d, TX, 0, 0x4003, 32, DRV_INDIRECT, 0); /* need not be aligned */
    drv_desc_at(&d, 0x4003, 0, 0x2000, 3, DRV_NEXT, 1);
    drv_desc_at(&d, 0x4003, 1, 0x2008, 2, 0, 0);
    send();
    says("abcij");
}

static void an_indirect_table_ends_a_chain(void **state)
{
    drv_desc(&d, TX, 0, 0x2000, 1, DRV_NEXT, 1);
    drv_desc(&d, TX, 1, 0x4000, 16, DRV_INDIRECT, 0);
    drv_desc_at(&d, 0x4000, 0, 0x2008, 2, 0, 0);
    send();
    says("aij");
}

static void bad_indirect_tables(void **state)
{
    static const struct {
        u64 addr;
        u32 len;
        u16 flags;
    } bad[] = {
        { 0x4000, 0, DRV_INDIRECT },         { 0x4000, 17, DRV_INDIRECT },
        { FAKE_RAM, 16, DRV_INDIRECT },      { 0x4000, 16, DRV_INDIRECT | DRV_NEXT },
        { FAKE_RAM - 16, 32, DRV_INDIRECT }, { -16ull, 32, DRV_INDIRECT },
        { 0, 0xfffffff0, DRV_INDIRECT },
    };
    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        setup(state);
        drv_desc(&d, TX, 0, bad[i].addr, bad[i].len, bad[i].flags, 0);
        drv_desc_at(&d, 0x4000, 0, 0x2008, 2, 0, 0);
        send();
        refused();
    }
    setup(state); /* one inside another */
    drv_desc(&d, TX, 0, 0x4000, 16, DRV_INDIRECT, 0);
    drv_desc_at(&d, 0x4000, 0, 0x5000, 16, DRV_INDIRECT, 0);
    drv_desc_at(&d, 0x5000, 0, 0x2000, 1, 0, 0);
    send();
    refused();
    setup(state); /* next outside of it */
    drv_desc(&d, TX, 0, 0x4000, 16, DRV_INDIRECT, 0);
    drv_desc_at(&d, 0x4000, 0, 0x2000, 1, DRV_NEXT, 1);
    send();
    refused();
    setup(state); /* longer than the queue, though the table is long enough */
    drv_desc(&d, TX, 0, 0x4000, 16 * 64, DRV_INDIRECT, 0);
    for (int i = 0; i < 64; i++)
        drv_desc_at(&d, 0x4000, i, 0x2000, 1, i < 63 ? DRV_NEXT : 0, i + 1);
    send();
    refused();
}

/* Each walk of a chain costs time with interrupts off, however large the queue is: a console's has 8, a disk's 30. */
static void a_chain_is_short(void **state)
{
    for (unsigned n = 7; n <= 9; n++) {
        setup(state);
        drv_enlarge(&d, TX, 64);
        for (unsigned i = 0; i < n; i++)
            drv_desc(&d, TX, i, 0x2000, 0, i < n - 1 ? DRV_NEXT : 0, (u16)(i + 1));
        drv_desc(&d, TX, n - 1, 0x2000, 1, 0, 0);
        send();
        assert_int_equal(drv_broken(&d), n > 8);
    }
    for (unsigned n = 29; n <= 31; n++) {
        struct sys_device conf = { .type = SYS_DEV_RNG };
        fake_init();
        d = plugged(vm, &conf);
        drv_start(&d, 1);
        drv_enlarge(&d, 0, 64);
        for (unsigned i = 0; i < n; i++)
            drv_desc(&d, 0, i, 0x2000, 1, DRV_WRITE | (i < n - 1 ? DRV_NEXT : 0), (u16)(i + 1));
        drv_offer(&d, 0, 0);
        drv_kick(&d, 0);
        assert_int_equal(drv_broken(&d), n > 30);
        assert_int_equal(drv_used(&d, 0), n <= 30);
    }
}

static void long_work_is_split(void **state)
{
    drv_desc(&d, TX, 0, 0x20000, 5000, 0, 0);
    memset(drv_ram(&d, 0x20000), '.', 5000);
    send();
    assert_in_range(fake_repeats, 77, 80);
    assert_int_equal(vm->console_n, 5000);
    assert_int_equal(drv_used(&d, TX), 1);
}

static void reset_in_the_middle_of_a_request(void **state)
{
    drv_desc(&d, TX, 0, 0x20000, 5000, 0, 0);
    drv_offer(&d, TX, 0);
    struct vdev *dev = vm->range[0].dev;
    dev->ops->write(dev, 0x50, 4, TX);
    assert_true(dev->again);
    dev->again = false;
    drv_start(&d, 2);
    vm->console_n = 0;
    drv_desc(&d, TX, 0, 0x2000, 4, 0, 0);
    send();
    says("abcd"); /* from its first byte */
}

static void a_request_that_shrinks_under_us(void **state)
{
    drv_desc(&d, TX, 0, 0x20000, 5000, 0, 0);
    drv_offer(&d, TX, 0);
    struct vdev *dev = vm->range[0].dev;
    dev->ops->write(dev, 0x50, 4, TX);
    drv_desc(&d, TX, 0, 0x2000, 4, 0, 0);
    drv_kick(&d, TX);
    assert_int_equal(drv_used(&d, TX), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_chain_of_pieces, setup),
        cmocka_unit_test_setup(the_ring_wraps, setup),
        cmocka_unit_test_setup(a_loop_ends, setup),
        cmocka_unit_test_setup(a_head_or_next_outside_the_table, setup),
        cmocka_unit_test_setup(addresses_outside_ram, setup),
        cmocka_unit_test_setup(memory_above_four_gib, setup),
        cmocka_unit_test_setup(readable_after_writable_is_refused, setup),
        cmocka_unit_test_setup(an_index_that_jumps_is_refused, setup),
        cmocka_unit_test_setup(an_indirect_table, setup),
        cmocka_unit_test_setup(an_indirect_table_ends_a_chain, setup),
        cmocka_unit_test_setup(bad_indirect_tables, setup),
        cmocka_unit_test_setup(a_chain_is_short, setup),
        cmocka_unit_test_setup(long_work_is_split, setup),
        cmocka_unit_test_setup(reset_in_the_middle_of_a_request, setup),
        cmocka_unit_test_setup(a_request_that_shrinks_under_us, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
