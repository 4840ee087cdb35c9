/* SPDX-License-Identifier: MIT */
/*
 * The driver of a disk that serves ranges of it (user/disk/range_server.c) and clients that ask for anything, with any
 * handle, of a disk that keeps what it is told. The kernel's part is the test's: handles are shown, and withdrawn.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include <amalgam/blocks.h>

#include "../../user/drivers/virtio-blk.h"
#include "dice.h"
#include "range.h"

#define ROUNDS  20000
#define SECTORS 512u
#define BLOCK   8u /* sectors */
#define DISK    3
#define SHOWN   9 /* the next handle that comes through the channel */

static uint8_t memory[DISK_DATA + DISK_MOST], sectors[SECTORS][DISK_SECTOR];
static struct disk disk = { .device = DISK, .memory = memory, .sectors = SECTORS };

/* What the kernel knows of the handle that was sent: a range of this disk's or another one's, or no range at all. */
static struct {
    uint32_t first, blocks, rights;
    bool is_range, is_of_disk, valid;
} handle;
static bool sent;
static unsigned held;  /* handles that have come and are not closed: the one number is all of them */
static unsigned sends; /* handles that a client sends while its last one is taken */
static bool pending;
static unsigned reads, writes;

/* The disk carries out what the head says, and only then is checked where that is. */
static void carry_out(uint32_t n)
{
    struct {
        uint32_t kind, unused;
        uint64_t sector;
    } head;
    memcpy(&head, memory + DISK_HEAD, sizeof head);
    bool is_write = head.kind == DISK_WRITE;
    memory[DISK_STATUS] = 0;
    if (head.kind == DISK_FLUSH)
        return;
    uint64_t first = (uint64_t)handle.first * BLOCK, end = first + (uint64_t)handle.blocks * BLOCK;
    assert_true(held && handle.valid && handle.is_range && handle.is_of_disk);
    assert_true(handle.rights & (is_write ? AMALGAM_HANDLE_WRITE : AMALGAM_HANDLE_READ));
    assert_true(head.sector >= first && head.sector + n / DISK_SECTOR <= end);
    if (is_write)
        memcpy(sectors[head.sector], memory + DISK_DATA, n), writes++;
    else
        memcpy(memory + DISK_DATA, sectors[head.sector], n), reads++;
}

static int64_t submit(uint32_t how, uint32_t offset, uint32_t n)
{
    static uint32_t bytes;
    if (offset == DISK_HEAD)
        bytes = 0;
    if (offset == DISK_DATA)
        bytes = n;
    if (!(how & AMALGAM_DMA_MORE)) {
        carry_out(bytes);
        pending = true;
    }
    return 5;
}

static int64_t blocks_first(uint32_t of, uint32_t right)
{
    assert_int_equal(of, SHOWN);
    assert_true(held);
    if (!handle.is_range)
        return -AMALGAM_EINVAL;
    if (!handle.valid)
        return -AMALGAM_ESTALE;
    if (right & ~handle.rights)
        return -AMALGAM_EACCES;
    return handle.is_of_disk ? (int64_t)handle.first : -AMALGAM_ENODEV;
}

int64_t host_call(uintptr_t number, const uintptr_t a[4])
{
    switch (number) {
    case AMALGAM_CLOCK: return 1;
    case AMALGAM_DMA_SUBMIT: return submit((uint32_t)a[1], (uint32_t)a[2], (uint32_t)a[3]);
    case AMALGAM_DMA_DONE:
        if (!pending)
            return -AMALGAM_EAGAIN;
        pending = false;
        return (int64_t)5 << 32 | (DISK_MOST + 1);
    case AMALGAM_HANDLE_RECEIVE:
        if (!sent)
            return -AMALGAM_EAGAIN;
        sent = sends > 0;
        sends -= sends > 0;
        held++;
        return SHOWN;
    case AMALGAM_HANDLE_CLOSE:
        assert_true(held && a[0] == SHOWN);
        held--;
        return 0;
    case AMALGAM_HANDLE_INFO: return handle.blocks;
    case AMALGAM_BLOCKS_FIRST: return blocks_first((uint32_t)a[0], (uint32_t)a[2]);
    default: fail_msg("no such call"); return 0;
    }
}

static struct range_client client = { .shown = -1 };
static struct range_question question;
static struct range_answer answer;

static int32_t ask(uint32_t kind, uint64_t at, uint32_t n)
{
    question.kind = kind;
    question.at = at;
    question.n = n;
    range_answer(&client, 0, &disk, &question, &answer);
    return answer.error;
}

static void show(uint32_t first, uint32_t blocks, uint32_t rights)
{
    range_forget(&client);
    handle.first = first;
    handle.blocks = blocks;
    handle.rights = rights;
    handle.is_range = handle.is_of_disk = handle.valid = sent = true;
}

static void a_shown_range_is_read_and_written_and_nothing_beside_it(void **state)
{
    assert_int_equal(ask(RANGE_READ, 0, DISK_SECTOR), -AMALGAM_EBADF);
    assert_int_equal(ask(RANGE_SHOW, 0, 0), -AMALGAM_EBADF);
    show(2, 3, AMALGAM_HANDLE_READ | AMALGAM_HANDLE_WRITE);
    assert_int_equal(ask(RANGE_SHOW, 0, 0), 0);
    assert_int_equal(answer.blocks, 3);
    memset(question.data, 'x', sizeof question.data);
    assert_int_equal(ask(RANGE_WRITE, 2 * 4096, 4096), 0);
    assert_int_equal(sectors[4 * BLOCK][0], 'x');
    assert_int_equal(ask(RANGE_READ, 3 * 4096 - DISK_SECTOR, DISK_SECTOR), 0);
    assert_int_equal(answer.data[DISK_SECTOR - 1], 'x');
    const struct {
        uint64_t at;
        uint32_t n;
    } wrong[] = { { 3 * 4096, DISK_SECTOR }, { 3 * 4096 - DISK_SECTOR, 2 * DISK_SECTOR },
                  { 1, DISK_SECTOR },        { 0, 1 },
                  { 0, 4096 + DISK_SECTOR }, { UINT64_MAX & ~511ull, 1024 },
                  { 0, 0xfffffe00 },         { 1ull << 32, DISK_SECTOR },
                  { UINT64_MAX, UINT32_MAX } };
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(ask(RANGE_READ, wrong[i].at, wrong[i].n), -AMALGAM_EINVAL);
        assert_int_equal(ask(RANGE_WRITE, wrong[i].at, wrong[i].n), -AMALGAM_EINVAL);
    }
    assert_int_equal(ask(7, 0, DISK_SECTOR), -AMALGAM_EINVAL);
    assert_int_equal(ask(RANGE_FLUSH, 0, 0), 0);
}

static void who_may_only_read_writes_nothing_and_a_withdrawn_range_is_refused(void **state)
{
    show(2, 3, AMALGAM_HANDLE_READ);
    assert_int_equal(ask(RANGE_SHOW, 0, 0), 0);
    assert_int_equal(ask(RANGE_WRITE, 0, DISK_SECTOR), -AMALGAM_EACCES);
    assert_int_equal(ask(RANGE_FLUSH, 0, 0), -AMALGAM_EACCES);
    assert_int_equal(ask(RANGE_READ, 0, DISK_SECTOR), 0);
    handle.valid = false;
    assert_int_equal(ask(RANGE_READ, 0, DISK_SECTOR), -AMALGAM_ESTALE);
    assert_int_equal(ask(RANGE_SHOW, 0, 0), -AMALGAM_ESTALE);
    handle.valid = true;
    handle.is_of_disk = false;
    assert_int_equal(ask(RANGE_READ, 0, DISK_SECTOR), -AMALGAM_ENODEV);
    handle.is_range = false;
    assert_int_equal(ask(RANGE_READ, 0, DISK_SECTOR), -AMALGAM_EINVAL);
}

static void who_sends_handles_without_end_holds_up_nobody(void **state)
{
    show(2, 3, AMALGAM_HANDLE_READ);
    sends = 1000;
    ask(RANGE_SHOW, 0, 0);
    assert_true(sends > 900);
    sends = sent = 0;
}

static void no_question_of_a_hostile_holder_reaches_a_neighbours_sectors(void **state)
{
    unsigned refused = 0;
    reads = writes = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        if (!roll(20))
            show(roll(SECTORS / BLOCK - 8), 1 + roll(8), roll(4));
        if (!roll(60))
            handle.valid = !handle.valid;
        if (!roll(80))
            handle.is_of_disk = roll(4), handle.is_range = roll(4);
        uint64_t at = roll(3)   ? (uint64_t)roll(80) * DISK_SECTOR
                      : roll(2) ? (uint64_t)roll(UINT32_MAX) << roll(40)
                                : UINT64_MAX - roll(5000);
        uint32_t n = roll(3) ? roll(10) * DISK_SECTOR : roll(2) ? roll(UINT32_MAX) : UINT32_MAX - roll(1000);
        refused += ask(roll(4) ? roll(4) : roll(8), at, n) < 0;
    }
    assert_true(reads > ROUNDS / 200 && writes > ROUNDS / 200 && refused > ROUNDS / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shown_range_is_read_and_written_and_nothing_beside_it),
        cmocka_unit_test(who_may_only_read_writes_nothing_and_a_withdrawn_range_is_refused),
        cmocka_unit_test(who_sends_handles_without_end_holds_up_nobody),
        cmocka_unit_test(no_question_of_a_hostile_holder_reaches_a_neighbours_sectors),
    };
    dice = 34;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
