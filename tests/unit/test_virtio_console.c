/* SPDX-License-Identifier: MIT */
/* Virtio console: input finds its buffers, output its console. */
#include "virtio_test.h"

static struct vm *vm = &fake_vms[0];
static struct drv d;
enum { RX, TX };

static int setup(void **state)
{
    struct sys_device conf = { .type = SYS_DEV_CONSOLE };
    fake_init();
    d = plugged(vm, &conf);
    return 0;
}

static void input_is_refused_until_a_driver_runs(void **state)
{
    assert_false(virtio_console_input(vm, 'a'));
    assert_false(virtio_console_input(&fake_vms[1], 'a'));
    drv_start(&d, 2);
    assert_true(virtio_console_input(vm, 'a'));
}

static void input_waits_for_a_buffer(void **state)
{
    drv_start(&d, 2);
    virtio_console_input(vm, 'l');
    virtio_console_input(vm, 's');
    drv_desc(&d, RX, 0, 0x2000, 64, DRV_WRITE, 0);
    drv_offer(&d, RX, 0);
    drv_kick(&d, RX);
    assert_int_equal(drv_used(&d, RX), 1);
    assert_int_equal(drv_used_len(&d, RX, 0), 2);
    assert_memory_equal(drv_ram(&d, 0x2000), "ls", 3);
}

static void typed_bytes_keep_their_order_over_the_end_of_their_numbers(void **state)
{
    drv_start(&d, 2);
    for (int i = 0; i < 70000; i += 100) {
        for (int n = i; n < i + 100; n++)
            assert_true(virtio_console_input(vm, (u8)n));
        drv_desc(&d, RX, 0, 0x2000, 200, DRV_WRITE, 0);
        drv_offer(&d, RX, 0);
        drv_kick(&d, RX);
        if (i % 256 > 156) { /* over the end of the bytes: in two pieces */
            drv_offer(&d, RX, 0);
            drv_kick(&d, RX);
        }
        assert_int_equal(((u8 *)drv_ram(&d, 0x2000))[0], (u8)(i % 256 > 156 ? ALIGN_UP(i, 256) : i));
    }
}

static void a_buffer_waits_for_input(void **state)
{
    drv_start(&d, 2);
    drv_desc(&d, RX, 0, 0x2000, 64, DRV_WRITE, 0);
    drv_offer(&d, RX, 0);
    drv_kick(&d, RX);
    assert_int_equal(drv_used(&d, RX), 0);
    virtio_console_input(vm, 'x');
    assert_int_equal(drv_used(&d, RX), 1);
    assert_true(vm->line[16]);
}

/* Walking the queue is the guest's work: whoever has typed, in whatever window, only wakes it. */
static void input_is_handed_over_in_the_guests_own_time(void **state)
{
    drv_start(&d, 2);
    drv_desc(&d, RX, 0, 0x2000, 64, DRV_WRITE, 0);
    drv_offer(&d, RX, 0);
    fake_asleep = true;
    fake_inputs = 0;
    virtio_console_input(vm, 'h');
    virtio_console_input(vm, 'i');
    assert_int_equal(drv_used(&d, RX), 0);
    assert_int_equal(fake_inputs, 2);
    fake_asleep = false;
    virtio_console_resume(vm);
    assert_int_equal(drv_used(&d, RX), 1);
    assert_memory_equal(drv_ram(&d, 0x2000), "hi", 3);
}

/* The console takes a piece an exit, which ends with a descriptor or a line. */
static void text_in_crumbs_takes_more_exits(void **state)
{
    drv_start(&d, 2);
    memset(drv_ram(&d, 0x2000), '.', 64);
    for (int i = 0; i < 8; i++)
        drv_desc(&d, TX, i, 0x2000, 1, i < 7 ? DRV_NEXT : 0, i + 1);
    drv_offer(&d, TX, 0);
    drv_kick(&d, TX);
    assert_int_equal(vm->console_n, 8);
    assert_int_equal(drv_used(&d, TX), 1);
    assert_int_equal(fake_repeats, 7);
}

static void lines_take_an_exit_each(void **state)
{
    drv_start(&d, 2);
    memset(drv_ram(&d, 0x2000), '\n', 64);
    drv_desc(&d, TX, 0, 0x2000, 64, 0, 0);
    drv_offer(&d, TX, 0);
    drv_kick(&d, TX);
    assert_int_equal(vm->console_n, 64);
    assert_int_equal(drv_used(&d, TX), 1);
    assert_int_equal(fake_repeats, 63);
}

static void a_reset_forgets_what_was_typed(void **state)
{
    drv_start(&d, 2);
    virtio_console_input(vm, 'o');
    drv_start(&d, 2);
    drv_desc(&d, RX, 0, 0x2000, 64, DRV_WRITE, 0);
    drv_offer(&d, RX, 0);
    drv_kick(&d, RX);
    assert_int_equal(drv_used(&d, RX), 0);
    virtio_console_input(vm, 'n');
    assert_int_equal(drv_used_len(&d, RX, 0), 1);
    assert_int_equal(drv_ram(&d, 0x2000)[0], 'n');
}

static void input_beyond_the_ring_is_lost_not_mixed(void **state)
{
    drv_start(&d, 2);
    for (int i = 0; i < 300; i++)
        virtio_console_input(vm, i);
    drv_desc(&d, RX, 0, 0x2000, 512, DRV_WRITE, 0);
    drv_offer(&d, RX, 0);
    drv_kick(&d, RX);
    assert_int_equal(drv_used_len(&d, RX, 0), 256);
    for (int i = 0; i < 256; i++)
        assert_int_equal(drv_ram(&d, 0x2000)[i], i);
}

static void buffers_without_room_are_given_back(void **state)
{
    drv_start(&d, 2);
    drv_desc(&d, RX, 0, 0x2000, 64, 0, 0); /* not writable */
    drv_desc(&d, RX, 1, 0x2000, 1, DRV_WRITE, 0);
    drv_offer(&d, RX, 0);
    drv_offer(&d, RX, 1);
    virtio_console_input(vm, 'x');
    assert_int_equal(drv_used(&d, RX), 2);
    assert_int_equal(drv_used_len(&d, RX, 0), 0);
    assert_int_equal(drv_used_len(&d, RX, 1), 1);
}

static void output_comes_out(void **state)
{
    drv_start(&d, 2);
    memcpy(drv_ram(&d, 0x2000), "hello\n", 6);
    drv_desc(&d, TX, 0, 0x2000, 6, 0, 0);
    drv_offer(&d, TX, 0);
    drv_offer(&d, TX, 0);
    drv_kick(&d, TX);
    assert_int_equal(drv_used(&d, TX), 2);
    assert_memory_equal(vm->console, "hello\nhello\n", 12);
    assert_int_equal(vm->console_n, 12);
}

/* Walking a chain costs, too: it must not use up what the text needs to come out at all. */
static void a_chain_of_many_pieces_comes_out(void **state)
{
    drv_start(&d, 2);
    memset(drv_ram(&d, 0x2000), '.', 512);
    for (int i = 0; i < 8; i++)
        drv_desc(&d, TX, i, 0x2000 + i * 50, 50, i < 7 ? DRV_NEXT : 0, i + 1);
    drv_offer(&d, TX, 0);
    drv_kick(&d, TX);
    assert_int_equal(drv_used(&d, TX), 1);
    assert_int_equal(vm->console_n, 400);
    assert_in_range(fake_repeats, 6, 8);
}

static void a_driver_waits_for_a_busy_console_in_its_own_time(void **state)
{
    drv_start(&d, 2);
    memcpy(drv_ram(&d, 0x2000), "words", 5);
    drv_desc(&d, TX, 0, 0x2000, 5, 0, 0);
    drv_offer(&d, TX, 0);
    fake_busy = 3;
    drv_kick(&d, TX);
    assert_int_equal(fake_repeats, 3);
    assert_int_equal(vm->console_n, 5);
    assert_int_equal(drv_used(&d, TX), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(input_is_refused_until_a_driver_runs, setup),
        cmocka_unit_test_setup(input_waits_for_a_buffer, setup),
        cmocka_unit_test_setup(typed_bytes_keep_their_order_over_the_end_of_their_numbers, setup),
        cmocka_unit_test_setup(a_buffer_waits_for_input, setup),
        cmocka_unit_test_setup(input_is_handed_over_in_the_guests_own_time, setup),
        cmocka_unit_test_setup(text_in_crumbs_takes_more_exits, setup),
        cmocka_unit_test_setup(lines_take_an_exit_each, setup),
        cmocka_unit_test_setup(a_reset_forgets_what_was_typed, setup),
        cmocka_unit_test_setup(input_beyond_the_ring_is_lost_not_mixed, setup),
        cmocka_unit_test_setup(buffers_without_room_are_given_back, setup),
        cmocka_unit_test_setup(output_comes_out, setup),
        cmocka_unit_test_setup(a_chain_of_many_pieces_comes_out, setup),
        cmocka_unit_test_setup(a_driver_waits_for_a_busy_console_in_its_own_time, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
