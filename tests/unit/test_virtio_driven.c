/* SPDX-License-Identifier: MIT */
/* What drivers of virtio devices may do, and what their devices may say, against fake_virtio.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errors.h>

#include "fake_virtio.h"

enum { WRITES = 4, MORE = 8, COMES = 0, GOES = 1 };

static int setup(void **unused)
{
    fake_begin(&device_virtio_net);
    assert_true(device_virtio_net.start(&fake_device));
    return 0;
}

static int check(void **unused)
{
    for (u32 i = 0; i < 2; i++)
        fake_look(i);
    if (fake.strays)
        fail_msg("%s", fake.strays);
    assert_int_equal(fake_device.lock.next, fake_device.lock.owner);
    return 0;
}

/* Returns how many pieces of a queue are free, by using them and being done with them. */
static unsigned free_pieces(u32 queue)
{
    s64 number[VIRTQUEUE_PIECES + 1];
    unsigned n = 0;
    while (n <= VIRTQUEUE_PIECES && (number[n] = submit(queue | WRITES, 0, 16)) >= 0)
        n++;
    for (unsigned i = 0; i < n; i++)
        fake_says(queue, (u32)number[i], 0);
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(done(queue) >> 32, number[i]);
    return n;
}

static void a_device_begins_with_queues_that_are_the_kernels(void **unused)
{
    u64 behind = fake_device.state.memory + device_virtio_net.memory;
    assert_int_equal(fake.registers[FAKE_STATUS / 4], 15);
    assert_int_equal(fake.chosen[0], 1u << 5 | 1u << 16);
    assert_int_equal(fake.chosen[1], 1);
    for (u32 i = 0; i < 2; i++) {
        const struct fake_queue *q = &fake.queue[i];
        assert_int_equal(q->size, VIRTQUEUE_PIECES);
        assert_true(q->ready);
        assert_int_equal(q->pieces, behind + i * PAGE_SIZE);
        assert_true(q->offered >= behind + i * PAGE_SIZE + 16 * VIRTQUEUE_PIECES && !(q->offered % 2));
        assert_true(q->used >= q->offered + 6 + 2 * VIRTQUEUE_PIECES && !(q->used % 4));
        assert_true(q->used + 6 + 8 * VIRTQUEUE_PIECES <= behind + (i + 1) * PAGE_SIZE);
    }
}

static void a_device_that_does_not_begin_as_it_must_is_not_begun(void **unused)
{
    fake_begin(&device_virtio_net);
    fake.features[1] = 0; /* the interface before version 1 */
    assert_false(device_virtio_net.start(&fake_device));
    fake_begin(&device_virtio_net);
    fake.refuses_features = true;
    assert_false(device_virtio_net.start(&fake_device));
    fake_begin(&device_virtio_net);
    fake.most = VIRTQUEUE_PIECES - 1;
    assert_false(device_virtio_net.start(&fake_device));
    fake_begin(&device_virtio_net);
    fake.queue[1].ready = 1;
    assert_false(device_virtio_net.start(&fake_device));
    assert_int_not_equal(fake.registers[FAKE_STATUS / 4], 15);
}

static void a_piece_that_is_not_pinned_memory_is_refused(void **unused)
{
    u32 size = device_virtio_net.memory;
    const struct {
        u32 offset, n;
    } wrong[] = { { 0, 0 },   { 0, size + 1 }, { size, 1 },     { size - 1, 2 },     { 1, size },      { ~0u, 1 },
                  { ~0u, 2 }, { 1, ~0u },      { size + 1, 0 }, { 0u - size, size }, { 0x80000000, 1 } };
    for (unsigned how = 0; how < 16; how++)
        for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++)
            assert_int_equal(submit(how & ~2u, wrong[i].offset, wrong[i].n), -EINVAL);
    assert_int_equal(fake.notified, 0);
    assert_true(submit(GOES, 0, size) >= 0);
    assert_true(submit(GOES, size - 12, 12) >= 0);
    assert_int_equal(fake.notified, 2);
}

static void begin_disk(void)
{
    fake_begin(&device_virtio_block);
    assert_true(device_virtio_block.start(&fake_device));
}

/* An emulator ends by a frame without a head. */
static void a_request_without_a_head_is_refused(void **unused)
{
    for (unsigned how = 0; how < 16; how++)
        assert_int_equal(submit(how & ~2u, 0, 11), -EINVAL);
    assert_true(submit(GOES | MORE, 0, 12) >= 0);
    assert_true(submit(GOES, 0, 1) >= 0);
    begin_disk();
    assert_int_equal(submit(0, 0, 15), -EINVAL);
    assert_true(submit(0, 0, 16) >= 0);
}

/* An emulator ends by a frame that comes to a request of which the card may write less than a head. */
static void a_request_to_a_card_has_one_direction(void **unused)
{
    for (unsigned queue = COMES; queue <= GOES; queue++)
        for (unsigned how = 0; how <= WRITES; how += WRITES) {
            s64 number = submit(queue | how | MORE, 0, 12);
            assert_true(number >= 0);
            assert_int_equal(submit(queue | (how ^ WRITES), 0, 1), -EINVAL);
            assert_int_equal(submit(queue | how | MORE, 0, 12), number);
            assert_int_equal(submit(queue | how, 0, 1), number);
            fake_says(queue, (u32)number, 0);
            assert_int_equal(done(queue), number << 32);
        }
}

static void a_request_has_its_pieces_in_order(void **unused)
{
    begin_disk();
    s64 number = submit(COMES | MORE, 0x100, 16);
    assert_int_equal(submit(COMES | MORE | WRITES, 0x1000, 512), number);
    assert_int_equal(fake.notified, 0);
    assert_int_equal(submit(COMES | WRITES, 0x200, 1), number);
    assert_int_equal(fake.notified, 1);
    const struct virtqueue_piece *p = fake_ring(COMES)->piece, *first = &p[number], *second = &p[first->next],
                                 *third = &p[second->next];
    assert_int_equal(first->at, fake_device.state.memory + 0x100);
    assert_int_equal(first->flags, 1);
    assert_int_equal(second->n, 512);
    assert_int_equal(second->flags, 3);
    assert_int_equal(third->flags, 2);
    fake_says(COMES, (u32)number, 513);
    assert_int_equal(done(COMES), number << 32 | 513);
    assert_int_equal(free_pieces(COMES), VIRTQUEUE_PIECES);
}

static void an_error_drops_the_request_that_is_being_made(void **unused)
{
    begin_disk();
    assert_true(submit(COMES | MORE, 0, 16) >= 0);
    assert_true(submit(COMES | MORE | WRITES, 0, 16) >= 0);
    assert_int_equal(submit(COMES, 0, 16), -EINVAL); /* to be read behind what is written */
    assert_true(submit(COMES | MORE, 0, 16) >= 0);
    assert_int_equal(submit(COMES, ~0u, 16), -EINVAL);
    assert_int_equal(free_pieces(COMES), VIRTQUEUE_PIECES);
    for (unsigned i = 0; i < VIRTQUEUE_PIECES; i++)
        assert_true(submit(COMES | MORE, 0, 16) >= 0);
    assert_int_equal(submit(COMES, 0, 16), -EAGAIN);
    assert_int_equal(fake_look(COMES), 0);
    assert_int_equal(free_pieces(COMES), VIRTQUEUE_PIECES);
}

static void a_device_that_wants_no_notice_gets_none(void **unused)
{
    fake_ring(GOES)->used.flags = 1;
    assert_true(submit(GOES, 0, 12) >= 0);
    assert_int_equal(fake.notified, 0);
    assert_int_equal(fake_look(GOES), 1);
}

static void what_the_device_wrote_is_at_most_what_it_may_write(void **unused)
{
    s64 number = submit(GOES, 0, 100);
    fake_says(GOES, (u32)number, 1);
    assert_int_equal(done(GOES), number << 32);
    begin_disk();
    number = submit(MORE, 0, 100);
    submit(WRITES, 0, 10);
    fake_says(0, (u32)number, ~0u);
    assert_int_equal(done(0), number << 32 | 10);
}

static void a_device_that_lies_about_requests_is_not_believed(void **unused)
{
    s64 number = submit(COMES | MORE | WRITES, 0, 12), other = submit(COMES | WRITES, 8, 8);
    assert_int_equal(number, other); /* one request of two pieces */
    u32 second = fake_ring(COMES)->piece[number].next;
    const u32 lies[] = { VIRTQUEUE_PIECES, ~0u, 0x80000000, second, 17, 0x100 + (u32)number };
    for (unsigned i = 0; i < ARRAY_SIZE(lies); i++) {
        fake_says(COMES, lies[i], 8);
        assert_int_equal(done(COMES), -EIO);
    }
    fake_says(COMES, (u32)number, 8);
    fake_says(COMES, (u32)number, 8);
    assert_int_equal(done(COMES), number << 32 | 8);
    assert_int_equal(done(COMES), -EIO); /* twice */
    assert_int_equal(done(COMES), -EAGAIN);
    assert_int_equal(free_pieces(COMES), VIRTQUEUE_PIECES);
}

/* Each call still takes one entry, and in the end no piece is there twice. */
static void an_index_that_jumps_costs_one_entry_a_call(void **unused)
{
    unsigned back = 0;
    for (unsigned i = 0; i < VIRTQUEUE_PIECES; i++)
        assert_true(submit(GOES, 0, 12) >= 0);
    struct virtqueue *q = fake_ring(GOES);
    for (unsigned i = 0; i < VIRTQUEUE_PIECES; i++)
        q->used.done[i].first = i ^ 1;
    q->used.index = q->seen - 1;
    s64 result;
    for (unsigned i = 0; i < 0xffff; i++)
        back += (result = done(GOES)) >= 0;
    assert_int_equal(back, VIRTQUEUE_PIECES);
    assert_int_equal(done(GOES), -EAGAIN);
    assert_int_equal(free_pieces(GOES), VIRTQUEUE_PIECES);
}

/* It may change what only it should read, too: that reaches no call. */
static void what_a_device_writes_to_its_ring_is_not_read_back(void **unused)
{
    struct virtqueue *q = fake_ring(GOES);
    s64 number = submit(GOES, 0, 12);
    memset(q->piece, 0xff, sizeof(q->piece));
    memset(&q->offered, 0xff, sizeof(q->offered));
    fake_says(GOES, (u32)number, 0);
    assert_int_equal(done(GOES), number << 32);
    begin_disk();
    assert_true(submit(MORE | WRITES, 0, 16) >= 0);
    memset(fake_ring(0)->piece, 0, sizeof(q->piece));
    assert_int_equal(submit(0, 0, 16), -EINVAL); /* still read behind what is written */
    setup(NULL);
}

static void only_a_driver_of_a_device_with_that_queue_reaches_it(void **unused)
{
    static const struct device_class none = { .memory = PAGE_SIZE };
    assert_int_equal(submit(2, 0, 1), -EACCES);
    assert_int_equal(submit(3, 0, 1), -EACCES);
    assert_int_equal(done(2), -EACCES);
    assert_int_equal(dma_call_dma_submit(&fake_thread.user, 1, 0, 0, 1), -EBADF);
    assert_int_equal(dma_call_dma_done(&fake_thread.user, 1, 0), -EBADF);
    fake_device.class = &device_virtio_block;
    assert_int_equal(submit(1, 0, 1), -EACCES);
    fake_device.class = &none;
    assert_int_equal(submit(0, 0, 1), -EACCES);
    assert_int_equal(done(0), -EACCES);
    setup(NULL);
}

static void a_driver_writes_no_register_and_reads_the_configuration(void **unused)
{
    const struct device_class *classes[] = { &device_virtio_net, &device_virtio_block };
    for (unsigned i = 0; i < ARRAY_SIZE(classes); i++)
        for (unsigned at = 0; at < DEVICE_REGISTERS; at++) {
            assert_int_equal(classes[i]->access[at] >> DEVICE_WRITES, 0);
            if (at >= 0x20)
                assert_int_equal(classes[i]->access[at], 0);
        }
    assert_int_equal(device_virtio_net.write(&fake_device.hal, &fake_device.state, 0, 4, 0), -EACCES);
}

static void the_next_run_finds_nothing_of_the_last_one(void **unused)
{
    assert_true(submit(COMES | WRITES, 0, 12) >= 0);
    assert_true(submit(GOES | MORE, 0, 12) >= 0);
    device_virtio_net.reset(&fake_device.hal, &fake_device.state);
    assert_true(device_virtio_net.is_reset(&fake_device.hal));
    memset((void *)(uintptr_t)fake_device.state.memory, 0, device_virtio_net.memory + device_virtio_net.rings);
    assert_true(device_virtio_net.start(&fake_device));
    for (u32 i = 0; i < 2; i++) {
        assert_int_equal(done(i), -EAGAIN);
        assert_int_equal(free_pieces(i), VIRTQUEUE_PIECES);
    }
}

static void an_interrupt_that_was_seen_is_told_to_the_device(void **unused)
{
    fake.registers[0x160 / 4] = 3;
    device_virtio_net.seen(&fake_device.hal);
    assert_int_equal(fake.registers[0x164 / 4], 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, check)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_device_begins_with_queues_that_are_the_kernels),
        TEST(a_device_that_does_not_begin_as_it_must_is_not_begun),
        TEST(a_piece_that_is_not_pinned_memory_is_refused),
        TEST(a_request_without_a_head_is_refused),
        TEST(a_request_to_a_card_has_one_direction),
        TEST(a_request_has_its_pieces_in_order),
        TEST(an_error_drops_the_request_that_is_being_made),
        TEST(a_device_that_wants_no_notice_gets_none),
        TEST(what_the_device_wrote_is_at_most_what_it_may_write),
        TEST(a_device_that_lies_about_requests_is_not_believed),
        TEST(an_index_that_jumps_costs_one_entry_a_call),
        TEST(what_a_device_writes_to_its_ring_is_not_read_back),
        TEST(only_a_driver_of_a_device_with_that_queue_reaches_it),
        TEST(a_driver_writes_no_register_and_reads_the_configuration),
        TEST(the_next_run_finds_nothing_of_the_last_one),
        TEST(an_interrupt_that_was_seen_is_told_to_the_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
