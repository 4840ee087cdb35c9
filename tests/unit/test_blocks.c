/* SPDX-License-Identifier: MIT */
/* Ranges of disks as handles (kernel/device/blocks.c): who makes them, who is believed that he has one, and their end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errors.h>
#include <generated/blocks_calls.h>
#include <generated/handle_calls.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device/blocks.c"
#include "handle/table.h"

enum { DRIVER, HOLDER, OTHER, PROCESSES };

#define BLOCKS 100u
#define ALL    (HANDLE_READ | HANDLE_WRITE | HANDLE_SEND | HANDLE_OWN)

__thread struct cpu *host_core;
static const struct sys_header header;
const struct sys_header *system_table = &header;
struct device *device_handles[SYS_MAX_DOMAINS][HANDLES];

static struct domain domain[PROCESSES];
static struct process process[PROCESSES];
static struct process_thread thread[PROCESSES];
static struct device disk[2], card; /* of DRIVER and of OTHER; DRIVER's card */
static u64 sectors;

u32 hal_device_read(const struct hal_device *d, u32 at, u32 width)
{
    assert_int_equal(width, 4);
    assert_true(at == 0 || at == 4);
    return (u32)(sectors >> (at ? 32 : 0));
}

void *pages_alloc(u64 pages)
{
    void *memory = aligned_alloc(PAGE_SIZE, pages * PAGE_SIZE);
    return memset(memory, 0, pages * PAGE_SIZE);
}

const struct device_class device_virtio_block, device_virtio_net;

struct device *device_on(unsigned line)
{
    static struct device none;
    struct device *const on[] = { &disk[0], &card, &disk[1] };
    return line < ARRAY_SIZE(on) ? on[line] : &none;
}

static void give_device(struct device *d, unsigned to, u8 line, const struct device_class *class)
{
    static const struct handle_ops none;
    *d = (struct device){ .handle = { .kind = HANDLE_DEVICE, .ops = &none }, .process = &process[to], .line = line };
    d->class = class;
    int index = handle_give(&process[to], &d->handle, HANDLE_READ | HANDLE_WRITE);
    assert_true(index >= 0);
    device_handles[to][index] = d;
}

/* DRIVER has its disk as handle 0 and a card as handle 1, OTHER another disk as handle 0. */
static int begin(void **state)
{
    sectors = 8 * BLOCKS + 7; /* the last block is not whole */
    memset(device_handles, 0, sizeof(device_handles));
    for (unsigned i = 0; i < PROCESSES; i++) {
        domain[i].id = i;
        process[i].domain = &domain[i];
        thread[i].process = &process[i];
        assert_int_equal(process_parts(&process[i], PROCESS_BEGINS), 0);
    }
    give_device(&disk[0], DRIVER, 0, &device_virtio_block);
    give_device(&card, DRIVER, 1, &device_virtio_net);
    give_device(&disk[1], OTHER, 2, &device_virtio_block);
    return 0;
}

static int teardown(void **state)
{
    for (unsigned i = 0; i < PROCESSES; i++)
        assert_int_equal(process_parts(&process[i], PROCESS_ENDS), 0);
    return 0;
}

static s64 make(unsigned who, u32 device, u32 first, u32 n, u32 writes)
{
    return blocks_call_blocks_make(&thread[who], device, first, n, writes);
}

static s64 first_of(unsigned who, u32 handle, u32 device, u32 right)
{
    return blocks_call_blocks_first(&thread[who].user, handle, device, right);
}

/* As handle_send() does. Returns the copy's index. */
static u32 send(unsigned from, u32 handle, unsigned to, u32 rights)
{
    struct handle h = handle_at(&process[from], handle);
    h.rights &= rights & ~HANDLE_OWN;
    int index = handle_add(&process[to], &h);
    assert_true(index >= 0);
    return (u32)index;
}

static void only_the_driver_of_a_disk_makes_ranges_and_only_of_what_is_there(void **state)
{
    assert_int_equal(make(HOLDER, 0, 0, 1, 1), -EBADF);
    assert_int_equal(make(DRIVER, 1, 0, 1, 1), -EINVAL);
    assert_int_equal(make(DRIVER, 0, 0, 0, 1), -EINVAL);
    assert_int_equal(make(DRIVER, 0, 0, BLOCKS + 1, 1), -EINVAL);
    assert_int_equal(make(DRIVER, 0, BLOCKS, 1, 1), -EINVAL);
    assert_int_equal(make(DRIVER, 0, 1, ~0u, 1), -EINVAL);
    assert_int_equal(make(DRIVER, 0, ~0u, 2, 1), -EINVAL);
    assert_int_equal(make(DRIVER, 0, BLOCKS - 1, 1, 1), 2);
    assert_int_equal(first_of(DRIVER, 2, 0, 3), BLOCKS - 1);
    assert_int_equal(handle_call_handle_info(&thread[DRIVER].user, 2, HANDLE_CALL_HANDLE_INFO_SIZE), 1);
    assert_int_equal(handle_call_handle_info(&thread[DRIVER].user, 2, HANDLE_CALL_HANDLE_INFO_KIND), HANDLE_BLOCK);
    assert_int_equal(handle_call_handle_info(&thread[DRIVER].user, 2, HANDLE_CALL_HANDLE_INFO_RIGHTS), ALL);
    sectors = (u64)8 << 32;
    assert_int_equal(make(DRIVER, 0, ~0u, 1, 0), 3);
    assert_int_equal(first_of(DRIVER, 3, 0, 1), ~0u);
}

static void a_shown_handle_is_good_for_its_disk_and_its_rights(void **state)
{
    u32 own = (u32)make(DRIVER, 0, 10, 20, 1), shown = send(DRIVER, own, HOLDER, HANDLE_READ | HANDLE_SEND);
    u32 back = send(HOLDER, shown, DRIVER, ALL);
    assert_int_equal(first_of(DRIVER, back, 0, 1), 10);
    assert_int_equal(first_of(DRIVER, back, 0, 2), -EACCES);
    assert_int_equal(first_of(DRIVER, back, 1, 1), -ENODEV);
    assert_int_equal(first_of(DRIVER, 0, 0, 1), -EINVAL);
    assert_int_equal(first_of(DRIVER, HANDLES - 1, 0, 1), -EBADF);
    assert_int_equal(first_of(OTHER, send(DRIVER, own, OTHER, ALL), 0, 1), -ENODEV);
    assert_int_equal(first_of(HOLDER, shown, 0, 1), -EBADF); /* it drives nothing */
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(disk[i].handle.users, 0);
}

static void a_withdrawn_range_is_good_for_nobody_and_may_be_made_anew(void **state)
{
    u32 own = (u32)make(DRIVER, 0, 10, 20, 1), shown = send(DRIVER, own, HOLDER, HANDLE_READ | HANDLE_SEND);
    u32 back = send(HOLDER, shown, DRIVER, ALL);
    assert_int_equal(handle_call_handle_close(&thread[DRIVER], own), 0);
    assert_int_equal(first_of(DRIVER, back, 0, 1), -ESTALE);
    assert_int_equal(handle_call_handle_info(&thread[HOLDER].user, shown, HANDLE_CALL_HANDLE_INFO_VALID), 0);
    for (unsigned round = 0; round < 3; round++) { /* the old handle never becomes one of a new range */
        s64 new = make(DRIVER, 0, 50, 2, 0);
        assert_int_equal(first_of(DRIVER, (u32) new, 0, 1), 50);
        assert_int_equal(first_of(DRIVER, (u32) new, 0, 2), -EACCES);
        assert_int_equal(first_of(DRIVER, back, 0, 1), -ESTALE);
        assert_int_equal(handle_call_handle_close(&thread[DRIVER], (u32) new), 0);
    }
    u32 last = (u32)make(DRIVER, 0, 1, 1, 0), copy = send(DRIVER, last, DRIVER, ALL);
    assert_int_equal(handle_call_handle_close(&thread[DRIVER], copy), 0); /* no owner's */
    assert_int_equal(first_of(DRIVER, last, 0, 1), 1);
}

static void the_ranges_of_a_disk_are_eight_and_end_with_its_driver(void **state)
{
    s64 of[8];
    for (unsigned i = 0; i < 8; i++)
        assert_true((of[i] = make(DRIVER, 0, i, 1, 1)) >= 0);
    assert_int_equal(make(DRIVER, 0, 0, 1, 1), -ENOMEM);
    assert_true(make(OTHER, 0, 0, 1, 1) >= 0); /* another disk has its own */
    u32 shown = send(DRIVER, (u32)of[0], HOLDER, HANDLE_READ | HANDLE_SEND);
    assert_int_equal(process_parts(&process[DRIVER], PROCESS_ENDS), 0);
    assert_int_equal(handle_call_handle_info(&thread[HOLDER].user, shown, HANDLE_CALL_HANDLE_INFO_VALID), 0);
    assert_int_equal(first_of(OTHER, 1, 0, 2), 0);
    assert_int_equal(process_parts(&process[DRIVER], PROCESS_BEGINS), 0);
    device_handles[DRIVER][0] = NULL;
    give_device(&disk[0], DRIVER, 0, &device_virtio_block);
    for (unsigned i = 0; i < 8; i++)
        assert_true(make(DRIVER, 0, i, 1, 1) >= 0);
    assert_int_equal(make(DRIVER, 0, 0, 1, 1), -ENOMEM);
}

static s64 part(unsigned who, u32 handle, u32 first, u32 n, u32 writes)
{
    return blocks_call_blocks_part(&thread[who], handle, first, n, writes);
}

static void a_part_of_a_range_is_inside_it_and_has_no_more_rights(void **state)
{
    u32 own = (u32)make(DRIVER, 0, 10, 20, 1), shown = send(DRIVER, own, HOLDER, HANDLE_READ | HANDLE_SEND);
    assert_int_equal(part(HOLDER, shown, 0, 0, 0), -EINVAL);
    assert_int_equal(part(HOLDER, shown, 0, 21, 0), -EINVAL);
    assert_int_equal(part(HOLDER, shown, 20, 1, 0), -EINVAL);
    assert_int_equal(part(HOLDER, shown, 1, ~0u, 0), -EINVAL);
    assert_int_equal(part(HOLDER, shown, ~0u, 2, 0), -EINVAL);
    assert_int_equal(part(HOLDER, shown, 0, 1, 1), -EACCES);
    assert_int_equal(part(HOLDER, HANDLES - 1, 0, 1, 0), -EBADF);
    assert_int_equal(part(DRIVER, 0, 0, 1, 0), -EINVAL);
    assert_int_equal(part(HOLDER, send(DRIVER, own, HOLDER, HANDLE_READ), 0, 1, 0), -EACCES); /* it may not send */
    s64 made = part(HOLDER, shown, 5, 15, 0);
    assert_true(made >= 0);
    assert_int_equal(handle_call_handle_info(&thread[HOLDER].user, (u32)made, HANDLE_CALL_HANDLE_INFO_SIZE), 15);
    u32 back = send(HOLDER, (u32)made, DRIVER, ALL);
    assert_int_equal(first_of(DRIVER, back, 0, 1), 15);
    assert_int_equal(first_of(DRIVER, back, 0, 2), -EACCES);
    assert_int_equal(first_of(OTHER, send(HOLDER, (u32)made, OTHER, ALL), 0, 1), -ENODEV);
    assert_int_equal(part(HOLDER, (u32)made, 0, 1, 0), -EINVAL); /* a part has none */
}

static void a_part_is_withdrawn_with_its_range_and_good_for_no_later_one(void **state)
{
    u32 own = (u32)make(DRIVER, 0, 10, 20, 1), shown = send(DRIVER, own, HOLDER, HANDLE_READ | HANDLE_SEND);
    u32 back = send(HOLDER, (u32)part(HOLDER, shown, 5, 5, 0), DRIVER, ALL);
    assert_int_equal(first_of(DRIVER, back, 0, 1), 15);
    assert_int_equal(handle_call_handle_close(&thread[DRIVER], own), 0);
    assert_int_equal(first_of(DRIVER, back, 0, 1), -ESTALE);
    assert_int_equal(part(HOLDER, shown, 5, 5, 0), -ESTALE);
    for (unsigned i = 0; i < 8; i++) { /* whichever place the next range has */
        assert_true(make(DRIVER, 0, 10, 20, 1) >= 0);
        assert_int_equal(first_of(DRIVER, back, 0, 1), -ESTALE);
    }
}

static void a_process_has_two_parts_which_end_with_it_or_when_it_closes_them(void **state)
{
    u32 own = (u32)make(DRIVER, 0, 10, 20, 1), shown = send(DRIVER, own, HOLDER, ALL);
    u32 made = (u32)part(HOLDER, shown, 0, 1, 1), back = send(HOLDER, made, DRIVER, ALL);
    assert_true(part(HOLDER, shown, 1, 1, 1) >= 0);
    assert_int_equal(part(HOLDER, shown, 2, 1, 1), -ENOMEM);
    assert_true(part(DRIVER, own, 2, 1, 1) >= 0); /* others have their own */
    assert_int_equal(handle_call_handle_close(&thread[HOLDER], made), 0);
    assert_int_equal(first_of(DRIVER, back, 0, 1), -ESTALE);
    made = (u32)part(HOLDER, shown, 2, 1, 1);
    back = send(HOLDER, made, DRIVER, ALL);
    assert_int_equal(first_of(DRIVER, back, 0, 2), 12);
    assert_int_equal(process_parts(&process[HOLDER], PROCESS_ENDS), 0);
    assert_int_equal(first_of(DRIVER, back, 0, 1), -ESTALE);
    assert_int_equal(first_of(DRIVER, own, 0, 1), 10);
    assert_int_equal(process_parts(&process[HOLDER], PROCESS_BEGINS), 0);
    shown = send(DRIVER, own, HOLDER, ALL);
    for (unsigned i = 0; i < 2; i++)
        assert_true(part(HOLDER, shown, i, 1, 1) >= 0);
}

/* Another core is between new_range() and the next line. */
static void a_range_that_is_just_being_made_is_not_of_a_driver_that_ends(void **state)
{
    struct range *r = new_range(&disk[1]);
    assert_non_null(r);
    r->disk = NULL;
    assert_int_equal(process_parts(&process[DRIVER], PROCESS_ENDS), 0);
    assert_int_equal(r->used, true);
    r->used = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_the_driver_of_a_disk_makes_ranges_and_only_of_what_is_there, begin,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_shown_handle_is_good_for_its_disk_and_its_rights, begin, teardown),
        cmocka_unit_test_setup_teardown(a_withdrawn_range_is_good_for_nobody_and_may_be_made_anew, begin, teardown),
        cmocka_unit_test_setup_teardown(the_ranges_of_a_disk_are_eight_and_end_with_its_driver, begin, teardown),
        cmocka_unit_test_setup_teardown(a_part_of_a_range_is_inside_it_and_has_no_more_rights, begin, teardown),
        cmocka_unit_test_setup_teardown(a_part_is_withdrawn_with_its_range_and_good_for_no_later_one, begin, teardown),
        cmocka_unit_test_setup_teardown(a_process_has_two_parts_which_end_with_it_or_when_it_closes_them, begin,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_range_that_is_just_being_made_is_not_of_a_driver_that_ends, begin, teardown),
    };
    for (unsigned i = 0; i < PROCESSES; i++) {
        domain[i].id = i;
        process[i].domain = &domain[i];
        if (process_parts(&process[i], PROCESS_MAPS))
            return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
