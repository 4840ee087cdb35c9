/* SPDX-License-Identifier: MIT */
/* Lazy pages: who gets a frame when, and that each promised frame is there. A table of PAGES entries is all addresses
 * of the process. */
#include "threads.h"

#include <generated/process_calls.h>
#include <stdlib.h>

#include "process/frames.h"
#include "process/memory.h"
#include "process/pages.h"

#define PAGES  8u
#define FRAMES 6u
#define AT(n)  (USER_BASE + (n)*PAGE_SIZE)

static u8 *memory;
static u32 frame[FRAMES];
static struct process_run run[1];
static space_entry_t table[PAGES];
static struct process p;
static struct process_thread self;
static struct thread thread;

space_entry_t *space_walk(const struct space *s, u64 va, u64 *size)
{
    *size = PAGE_SIZE;
    assert_true(va >= USER_BASE && va < AT(PAGES));
    return &table[(va - USER_BASE) / PAGE_SIZE];
}

void user_refresh(struct user *u) {}
u64 user_pc(const struct user *u) { return 0; }
int process_write(struct process_thread *t, u64 to, const void *from, size_t n) { return -EFAULT; }
static unsigned copies;
int user_copy_piece(struct user *u, void *to, const void *from, size_t n)
{
    copies++;
    return 0;
}

static int begin(void **state)
{
    setup(state);
    memory = aligned_alloc(PAGE_SIZE, FRAMES * PAGE_SIZE);
    memset(memory, 0, FRAMES * PAGE_SIZE);
    memset(table, 0, sizeof(table));
    p = (struct process){
        .memory = (uintptr_t)memory, .size = FRAMES * PAGE_SIZE, .frame = frame, .run = run, .thread = &self
    };
    self = (struct process_thread){ .process = &p, .thread = &thread };
    thread = (struct thread){ 0 };
    list_init(&p.waiters);
    process_frames_init(&p);
    copies = 0;
    return 0;
}

static int end(void **state)
{
    free(memory);
    return 0;
}

static void map_lazily(unsigned page, unsigned n)
{
    assert_int_equal(process_call_map(&self, AT(page), n * PAGE_SIZE, PROCESS_CALL_MAP_LAZY), AT(page));
}
static bool is_there(unsigned page) { return table[page] & PTE_P; }
static void in_use(u32 n, u32 promised)
{
    u32 listed = 0;
    for (u32 at = run->free; at != FRAME_NONE; at = frame[at])
        listed++;
    assert_int_equal(p.promised, promised);
    assert_int_equal(p.n_free, FRAMES - n - promised);
    assert_int_equal(listed, FRAMES - n);
}

static void test_a_page_gets_one_frame_and_at_the_first_access(void **state)
{
    map_lazily(0, 3);
    in_use(0, 3);
    assert_false(is_there(0) || is_there(1) || is_there(2));
    assert_true(process_touch(&self, AT(1) + 17, SPACE_WRITE) && is_there(1));
    in_use(1, 2);
    assert_true(process_touch(&self, AT(1), 0) && process_touch(&self, AT(1), SPACE_WRITE)); /* another core, later */
    in_use(1, 2);
    assert_false(is_there(0) || is_there(2));
    assert_int_equal(space_rights(table[1]), SPACE_WRITE);
}

static void test_a_promised_frame_is_nobody_elses(void **state)
{
    map_lazily(0, 4);
    assert_int_equal(process_call_map(&self, AT(4), 3 * PAGE_SIZE, SPACE_WRITE), -ENOMEM);
    assert_int_equal(process_call_map(&self, AT(4), 3 * PAGE_SIZE, PROCESS_CALL_MAP_LAZY), -ENOMEM);
    in_use(0, 4);
    assert_true(process_call_frame_alloc(&self) >= 0 && process_call_frame_alloc(&self) >= 0);
    assert_int_equal(process_call_frame_alloc(&self), -ENOMEM);
    for (unsigned i = 0; i < 4; i++)
        assert_true(process_touch(&self, AT(i), SPACE_WRITE) && is_there(i));
    in_use(6, 0);
}

static void test_what_the_rights_forbid_gives_nothing(void **state)
{
    map_lazily(0, 2);
    assert_int_equal(process_call_protect(&self, AT(0), PAGE_SIZE, 0), 0);
    assert_false(process_touch(&self, AT(0), SPACE_WRITE) || process_touch(&self, AT(0), SPACE_EXEC));
    assert_false(process_touch(&self, AT(1), SPACE_EXEC) || process_touch(&self, AT(2), 0));
    assert_false(process_touch(&self, USER_BASE - 1, 0) || process_touch(&self, USER_END, 0));
    assert_false(process_touch(&self, 0, 0) || process_touch(&self, ~0ull, 0));
    in_use(0, 2);
    assert_true(process_touch(&self, AT(0), 0));
    assert_int_equal(space_rights(table[0]), 0);
    in_use(1, 1);
}

static void test_rights_of_a_page_change_before_and_after_it_has_a_frame(void **state)
{
    map_lazily(0, 3);
    assert_int_equal(process_call_protect(&self, AT(0), PAGE_SIZE, SPACE_EXEC), 0);
    assert_true(process_touch(&self, AT(1), SPACE_WRITE));
    assert_int_equal(process_call_protect(&self, AT(0), 3 * PAGE_SIZE, SPACE_EXEC), 0);
    in_use(1, 2);
    assert_true(is_there(1) && !is_there(0) && process_touch(&self, AT(2), SPACE_EXEC));
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(space_rights(table[i]), SPACE_EXEC); /* never both */
    in_use(2, 1);
}

static void test_unmapping_gives_back_frames_and_promises(void **state)
{
    map_lazily(0, 4);
    assert_true(process_touch(&self, AT(2), SPACE_WRITE));
    memory[(space_frame(table[2]) - p.memory)] = 7;
    assert_int_equal(process_call_unmap(&self, AT(1), 2 * PAGE_SIZE), 0);
    in_use(0, 2);
    for (size_t i = 0; i < FRAMES * PAGE_SIZE; i++)
        assert_int_equal(memory[i], 0);
    assert_int_equal(process_call_map(&self, AT(1), 3 * PAGE_SIZE, PROCESS_CALL_MAP_LAZY), -EEXIST);
    in_use(0, 2);
    assert_int_equal(process_call_unmap(&self, AT(0), PAGES * PAGE_SIZE), 0);
    in_use(0, 0);
}

static void test_where_lazy_pages_were_there_is_place_again(void **state)
{
    map_lazily(1, 2);
    p.map_hint = AT(4);
    assert_int_equal(process_call_unmap(&self, AT(1), 2 * PAGE_SIZE), 0);
    assert_int_equal(p.map_hint, AT(0));
}

static void test_a_number_of_a_lazy_page_is_its_frames(void **state)
{
    map_lazily(0, 1);
    s64 number = process_call_frame_of(&self, AT(0));
    assert_true(number >= 0 && is_there(0));
    assert_int_equal(process_call_frame_map(&self, AT(1), (u32)number, SPACE_WRITE), 0);
    assert_int_equal(space_frame(table[0]), space_frame(table[1]));
    assert_int_equal(process_call_frame_map(&self, AT(1), (u32)number, SPACE_WRITE), -EEXIST);
    in_use(1, 0);
}

static void test_the_kernels_copies_bring_all_pages_that_they_need(void **state)
{
    map_lazily(0, 4);
    assert_int_equal(process_call_protect(&self, AT(3), PAGE_SIZE, 0), 0);
    irq_enable();
    assert_true(process_page_in(&self, AT(0) + 4000, PAGE_SIZE, SPACE_WRITE));
    in_use(2, 2);
    assert_false(process_page_in(&self, AT(2), PAGE_SIZE + 1, SPACE_WRITE)); /* the last byte may not be written */
    assert_true(process_page_in(&self, AT(2), PAGE_SIZE + 1, 0));
    in_use(4, 0);
    assert_false(process_page_in(&self, AT(4), 1, 0));
    thread.stop = true;
    assert_false(process_page_in(&self, AT(0), 1, 0));
}

static void test_a_word_is_copied_again_only_if_its_page_permits_it(void **state)
{
    u32 word;
    map_lazily(0, 1);
    unsigned long flags = spin_lock_irqsave(&p.lock);
    assert_int_equal(process_copy_again(&self, &word, (void *)AT(0), AT(0), 0), 0);
    assert_true(copies == 1 && is_there(0));
    assert_int_equal(process_copy_again(&self, &word, (void *)AT(1), AT(1), 0), -EFAULT);
    spin_unlock_irqrestore(&p.lock, flags);
    assert_int_equal(copies, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_page_gets_one_frame_and_at_the_first_access),
        TEST(test_a_promised_frame_is_nobody_elses),
        TEST(test_what_the_rights_forbid_gives_nothing),
        TEST(test_rights_of_a_page_change_before_and_after_it_has_a_frame),
        TEST(test_unmapping_gives_back_frames_and_promises),
        TEST(test_where_lazy_pages_were_there_is_place_again),
        TEST(test_a_number_of_a_lazy_page_is_its_frames),
        TEST(test_the_kernels_copies_bring_all_pages_that_they_need),
        TEST(test_a_word_is_copied_again_only_if_its_page_permits_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
