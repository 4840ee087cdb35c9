/* SPDX-License-Identifier: MIT */
/* frame_free(): a frame that other cores may still reach is neither cleared nor free. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <core/sched.h>
#include <errors.h>
#include <generated/process_calls.h>
#include <process/frames.h>
#include <process/memory.h>
#include <process/pages.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES 4u

bool host_irq_on = true;
static u8 *memory;
static u32 frame[FRAMES];
static struct process_run run[2];
static space_entry_t page;
static struct process p;
static struct process_thread self = { .process = &p };
static unsigned forgot;
static u32 freed_when_forgotten;
static u8 byte_when_forgotten;

int process_check_pages(u64 address, u64 size) { return 0; }
bool process_page_in(struct process_thread *t, u64 at, size_t n, unsigned access) { return false; }
space_entry_t *space_walk(const struct space *s, u64 va, u64 *size)
{
    *size = PAGE_SIZE;
    return &page;
}
int user_copy_piece(struct user *u, void *to, const void *from, size_t n) { return -EFAULT; }

/* Here a thread on another core, which still remembers the page, may write to it for the last time. */
void process_flush(struct process *of, struct process_thread *by)
{
    assert_true(of == &p && by == &self);
    freed_when_forgotten = p.n_free;
    memory[0] = byte_when_forgotten;
    forgot++;
}

static int setup(void **state)
{
    memory = aligned_alloc(PAGE_SIZE, FRAMES * PAGE_SIZE);
    memset(memory, 0, FRAMES * PAGE_SIZE);
    p = (struct process){ .memory = (uintptr_t)memory, .size = FRAMES * PAGE_SIZE, .frame = frame, .run = run };
    process_frames_init(&p);
    page = forgot = 0;
    byte_when_forgotten = 0;
    return 0;
}

static int teardown(void **state)
{
    free(memory);
    return 0;
}

static void test_a_frame_is_cleared_and_free_only_when_every_core_has_forgotten_it(void **state)
{
    s64 number = process_call_frame_alloc(&self);
    assert_int_equal(number, 0);
    byte_when_forgotten = 0xaa;
    assert_int_equal(process_call_frame_free(&self, 0), 0);
    assert_int_equal(forgot, 1);
    assert_int_equal(freed_when_forgotten, FRAMES - 1);
    assert_int_equal(memory[0], 0);
    assert_int_equal(p.n_free, FRAMES);
}

static void test_a_frame_that_is_shown_loses_its_number_and_nothing_else(void **state)
{
    process_call_frame_alloc(&self);
    assert_int_equal(process_call_frame_map(&self, USER_BASE, 0, SPACE_WRITE), 0);
    assert_int_equal(process_call_frame_free(&self, 0), 0);
    assert_int_equal(process_call_frame_free(&self, 0), -ENOENT);
    assert_int_equal(p.n_free, FRAMES - 1);
    assert_int_equal(forgot, 0);
}

static void test_numbers_that_nobody_has_are_refused(void **state)
{
    for (u32 n = 0; n <= FRAMES; n++)
        assert_int_equal(process_call_frame_free(&self, n), -ENOENT);
    assert_int_equal(process_call_frame_free(&self, FRAME_NONE), -ENOENT);
    assert_int_equal(process_call_frame_map(&self, USER_BASE, 1, 0), -ENOENT);
    assert_int_equal(p.n_free, FRAMES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_frame_is_cleared_and_free_only_when_every_core_has_forgotten_it, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_frame_that_is_shown_loses_its_number_and_nothing_else, setup, teardown),
        cmocka_unit_test_setup_teardown(test_numbers_that_nobody_has_are_refused, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
