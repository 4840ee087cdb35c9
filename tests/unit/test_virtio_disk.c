/* SPDX-License-Identifier: MIT */
/*
 * The driver of virtio disks (user/drivers/virtio-blk.h) and a disk that lies in all that it says: how a request ended,
 * how much it wrote, which request that was, whether it interrupts, and what lies in the memory that both have. What
 * the kernel does not believe (kernel/device/virtqueue.c) comes as -EIO.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../user/drivers/virtio-blk.h"
#include "dice.h"

#define ROUNDS      20000
#define MS          1000000ull
#define CALLS_MOST  40000u /* of a request: a disk may interrupt each time until it is given up */
#define SECTORS     64u
#define DEVICE      3
#define SUBMIT_MOST 64

enum answer { RIGHT, SHORT, OTHER, FALSE, SILENT, ANSWERS }; /* how the disk says that it is done */

static uint8_t memory[DISK_DATA + DISK_MOST];
static uint64_t clock_at;
static unsigned calls, offered;
static bool pending, masked, always_interrupts, fails;
static enum answer answer;
static uint32_t length, head; /* of the request: bytes that may be written; the number of its first piece */

static int64_t submit(uint32_t how, uint32_t offset, uint32_t n)
{
    assert_true(offset + n <= sizeof memory);
    if (!offered++)
        head = roll(SUBMIT_MOST), length = 0;
    length += how & AMALGAM_DMA_WRITES ? n : 0;
    if (!(how & AMALGAM_DMA_MORE)) {
        offered = 0;
        pending = true;
        memory[DISK_STATUS] = fails;
    }
    return head;
}

static int64_t done(void)
{
    if (!pending || answer == SILENT)
        return -AMALGAM_EAGAIN;
    if (answer == FALSE) /* again and again: its ring has come round */
        return -AMALGAM_EIO;
    pending = false;
    uint64_t number = answer == OTHER ? (head + 1) % SUBMIT_MOST : head;
    return (int64_t)(number << 32 | (answer == SHORT ? roll(length) : length));
}

static int64_t wait(uint64_t deadline)
{
    if (masked)
        return -AMALGAM_EBUSY;
    if (always_interrupts)
        return masked = true, 0;
    if (!roll(3))
        return -AMALGAM_EINTR;
    clock_at = deadline;
    return -AMALGAM_ETIMEDOUT;
}

int64_t host_call(uintptr_t number, const uintptr_t a[4])
{
    clock_at += MS;
    assert_true(calls++ < CALLS_MOST); /* else it never ends */
    switch (number) {
    case AMALGAM_CLOCK: return (int64_t)clock_at;
    case AMALGAM_DMA_SUBMIT: return submit((uint32_t)a[1], (uint32_t)a[2], (uint32_t)a[3]);
    case AMALGAM_DMA_DONE: return done();
    case AMALGAM_IRQ_WAIT: return wait(a[1]);
    case AMALGAM_IRQ_DONE: return masked = false, 0;
    default: fail_msg("no such call"); return 0;
    }
}

static struct disk begin(enum answer how, bool interrupts)
{
    answer = how;
    always_interrupts = interrupts;
    pending = masked = fails = false;
    calls = offered = 0;
    return (struct disk){ .device = DEVICE, .memory = memory, .sectors = SECTORS };
}

static int64_t request(struct disk *d)
{
    static uint8_t some[4096];
    calls = 0;
    uint32_t kind = roll(3), n = DISK_SECTOR * (1 + roll(8));
    return kind == 0   ? disk_read(d, roll(SECTORS - 8), some, n)
           : kind == 1 ? disk_write(d, roll(SECTORS - 8), some, n)
                       : disk_flush(d);
}

static void a_disk_that_says_what_is_not_so_is_used_no_more(void **state)
{
    for (enum answer how = OTHER; how < ANSWERS; how++)
        for (int interrupts = 0; interrupts < 2; interrupts++) {
            struct disk d = begin(how, interrupts);
            assert_int_equal(request(&d), -AMALGAM_EIO);
            assert_true(d.lost);
            calls = 0;
            assert_int_equal(request(&d), -AMALGAM_EIO);
            assert_int_equal(calls, 0);
        }
}

static void a_read_that_is_shorter_than_it_says_is_an_error(void **state)
{
    uint8_t some[DISK_SECTOR];
    struct disk d = begin(SHORT, false);
    assert_int_equal(disk_read(&d, 0, some, sizeof some), -AMALGAM_EIO);
    assert_false(d.lost);
    answer = RIGHT;
    assert_int_equal(disk_read(&d, 0, some, sizeof some), 0);
}

static void each_request_to_a_disk_that_lies_ends(void **state)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct disk d = begin((enum answer)roll(ANSWERS), roll(2));
        for (unsigned k = 0; k < 4; k++) {
            fails = !roll(4);
            bool right = answer == RIGHT && !fails && !d.lost;
            int64_t result = request(&d);
            assert_true(right ? !result : result == 0 || result == -AMALGAM_EIO);
            if (fails || answer > SHORT)
                assert_int_equal(result, -AMALGAM_EIO);
            answer = (enum answer)roll(ANSWERS);
            memory[roll(sizeof memory)] = (uint8_t)roll(256);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_disk_that_says_what_is_not_so_is_used_no_more),
        cmocka_unit_test(a_read_that_is_shorter_than_it_says_is_an_error),
        cmocka_unit_test(each_request_to_a_disk_that_lies_ends),
    };
    dice = 34;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
