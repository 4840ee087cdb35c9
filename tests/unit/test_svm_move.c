/* SPDX-License-Identifier: MIT */
/* Frames of shared pages as one core sees them: which one it takes, when a page moves and what it contains then, full
 * quarters, wrong calls, and words of other kernels that are wrong. */
#define _GNU_SOURCE /* memfd_create() */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <core/frames.h>
#include <core/init.h>
#include <core/timer.h>
#include <core/wait.h>
#include <errors.h>
#include <hal/aperture.h>
#include <signals.h>
#include <stdlib.h>
#include <hal/upcalls.h>
#include <string.h>
#include <svm/migrate.h>
#include <svm/state.h>
#include <sys/mman.h>
#include <unistd.h>

#define ME      2u  /* controller 0 */
#define FAR     47u /* controller 3 */
#define PAGES   8u  /* of the strong region: half of them each */
#define QUARTER (SVM_PAGES / SVM_CONTROLLERS)

#define SHARED_SIZE (1u << 24)
#define TOUCH       0x1000u /* in a home word (frame.c) */

unsigned scc_core = ME;
bool host_irq_on = true;
u64 host_now = 1, time_hz = 1000000000;
unsigned host_invalidates;
static struct thread thread;
static u8 shown[SVM_PAGES + 2];
static u32 frame_shown[SVM_PAGES + 2];
static char *strong, *lazy;
static unsigned requests;

bool scc_chosen(unsigned core) { return core == ME || core == FAR; }
ticks_t time_from_ns(u64 ns) { return ns; }
struct thread *thread_self(void) { return &thread; }
void printk(const char *fmt, ...) {}
void panic(const char *fmt, ...) { abort(); }
void clear_pages(void *at, u64 count) { memset(at, 0, count * PAGE_SIZE); }
void mutex_init(struct mutex *m) {}
int mutex_lock(struct mutex *m) { return 0; }
void mutex_unlock(struct mutex *m) {}
void timer_init(struct timer *t, void (*fn)(void *), void *arg) { *t = (struct timer){ .fn = fn, .arg = arg }; }
void timer_arm(struct timer *t, ticks_t deadline) {}
int hal_aperture_init(uintptr_t va, size_t size) { return 0; }
void *pages_alloc(u64 count) { return NULL; }
void frames_free(paddr_t base, u64 count) {}
void mail_serve(void (*serve)(const struct mail *m)) {}
int thread_block(ticks_t deadline)
{
    host_now = deadline;
    return 0;
}

static int memory;
static unsigned page_of(uintptr_t va)
{
    assert_in_range(va, SVM_BASE, SVM_BASE + SVM_SIZE + PAGE_SIZE);
    return (unsigned)((va - SVM_BASE) / PAGE_SIZE);
}

static void map_page(uintptr_t va, int protection, paddr_t pa)
{
    assert_ptr_equal(mmap((void *)va, PAGE_SIZE, protection, MAP_SHARED | MAP_FIXED, memory, (off_t)(pa - SCC_SHARED)),
                     va);
}

/* Whatever the words say, only frames of pages are shown. */
void hal_aperture_show(uintptr_t va, paddr_t pa, bool write)
{
    assert_in_range(pa, SCC_SVM_PAGES, SCC_SVM_PAGES + SVM_SIZE - PAGE_SIZE);
    shown[page_of(va)] = write ? 2 : 1;
    frame_shown[page_of(va)] = (u32)((pa - SCC_SVM_PAGES) / PAGE_SIZE);
    map_page(va, PROT_READ | (write ? PROT_WRITE : 0), pa);
}
void hal_aperture_hide(uintptr_t va)
{
    shown[page_of(va)] = 0;
    map_page(va, PROT_NONE, SCC_SHARED);
}

static u32 *owner_of(unsigned page) { return &svm_shared()->owner[page]; }

/* The other core gives each page at once. */
int mail_request(unsigned to, const void *data, unsigned bytes)
{
    struct svm_request r;
    memcpy(&r, data, sizeof(r));
    requests++;
    if (r.ask != SVM_PING && r.page < SVM_PAGES)
        *owner_of(r.page) = svm_owned_by(r.word, ME);
    return 0;
}

static u8 *frame(unsigned number) { return (u8 *)(SCC_SVM_PAGES + number * PAGE_SIZE); }
static u32 *homes(void)
{
    return (u32 *)(SCC_SVM_WORDS + (sizeof(struct svm_shared) + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE);
}
static u8 *used(void) { return (u8 *)(homes() + SVM_PAGES); }

static unsigned count_used(void)
{
    unsigned n = 0;
    for (unsigned i = 0; i < SVM_PAGES; i++)
        n += used()[i] != 0;
    return n;
}

void host_others_end(void) { svm_shared()->call[FAR].outcome = svm_shared()->call[ME].outcome; }

static void others_call(u32 bytes, u32 model, u32 address)
{
    u32 epoch = svm_shared()->epoch[ME].word;
    if (epoch % 2)
        svm_shared()->epoch[FAR].word = epoch++;
    signals_set(ME, epoch << 16 | (u16)(signals_counted(FAR, (u16)epoch) + 1000));
    svm_shared()->call[FAR] = (struct svm_call){ .bytes = bytes, .model = model, .address = address };
}

static int next_touch(char *at)
{
    others_call(0, SVM_MODELS + 1, (u32)(uintptr_t)at);
    return svm_next_touch(at);
}

static char *allocate(unsigned pages, enum svm_model model)
{
    others_call(pages * PAGE_SIZE, model, 0);
    return svm_alloc(pages * PAGE_SIZE, model);
}

static int group_setup(void **state)
{
    memory = memfd_create("memory", 0);
    if (ftruncate(memory, SHARED_SIZE))
        return -1;
    if (mmap((void *)SCC_SHARED, SHARED_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, memory, 0) !=
        (void *)SCC_SHARED)
        return -1;
    for (const init_call *call = __initcalls_start; call < __initcalls_end; call++)
        (*call)();
    kernels_run();
    strong = allocate(PAGES, SVM_STRONG);
    lazy = allocate(2, SVM_LAZY);
    return strong && lazy ? 0 : -1;
}

/* Pages 0 to 3 are this core's, near it; 4 to 7 the other's, near that one, with their number in each byte. */
static int setup(void **state)
{
    memset(&svm_count, 0, sizeof(svm_count));
    memset(used(), 0, SVM_PAGES);
    for (unsigned page = 0; page < PAGES; page++) {
        bool mine = page < PAGES / 2;
        unsigned at = mine ? page : 3 * QUARTER + page;
        *owner_of(page) = svm_owned_by(*owner_of(page), mine ? ME : FAR);
        homes()[page] = at + 1;
        used()[at] = 1;
        memset(frame(at), (int)page, PAGE_SIZE);
        hal_aperture_hide(svm_address(page));
        if (mine)
            hal_aperture_show(svm_address(page), SCC_SVM_PAGES + at * PAGE_SIZE, true);
    }
    host_now += 1000000000;
    requests = host_invalidates = 0;
    return 0;
}

static char *page_at(unsigned page) { return strong + page * PAGE_SIZE; }

static void check_contents(unsigned page)
{
    for (unsigned i = 0; i < PAGE_SIZE; i++)
        assert_int_equal(page_at(page)[i], page);
}

static void each_page_begins_near_its_first_owner(void **state)
{
    char *more = allocate(4, SVM_STRONG);
    assert_non_null(more);
    assert_int_equal(svm_here(), 0);
    assert_int_equal(svm_where(more), 0);
    assert_int_equal(svm_where(more + 2 * PAGE_SIZE - 1), 0);
    assert_int_not_equal(svm_frame(page_of((uintptr_t)more)), svm_frame(page_of((uintptr_t)more) + 1));
    assert_int_equal(svm_where(page_at(5)), 3);
    assert_int_equal(svm_where(NULL), -EINVAL);
    assert_int_equal(svm_where((void *)(SVM_BASE + SVM_SIZE - 1)), -EINVAL);
    assert_int_equal(svm_where((void *)(SVM_BASE - 1)), -EINVAL);
}

static void the_next_touch_brings_a_page_and_its_frame(void **state)
{
    unsigned n = count_used();
    homes()[5] |= TOUCH; /* as its owner did */
    assert_true(svm_fault((uintptr_t)page_at(5), false));
    assert_int_equal(svm_where(page_at(5)), 0);
    assert_int_equal(frame_shown[5], svm_frame(5));
    assert_int_equal(shown[5], 2);
    check_contents(5);
    assert_int_equal(used()[3 * QUARTER + 5], 0);
    assert_int_equal(used()[svm_frame(5)], 1);
    assert_int_equal(count_used(), n);
    assert_int_equal(svm_count.moved, 1);
    assert_true(host_invalidates >= 2);    /* before the copy, and before the access */
    assert_int_equal(shown[SVM_PAGES], 0); /* where it was copied */
    assert_int_equal(shown[SVM_PAGES + 1], 0);
    assert_int_equal(homes()[5], svm_frame(5) + 1); /* once */
}

static void a_page_that_is_not_marked_stays(void **state)
{
    assert_true(svm_fault((uintptr_t)page_at(5), false));
    assert_int_equal(svm_where(page_at(5)), 3);
    assert_int_equal(svm_count.moved, 0);
    check_contents(5);
}

static void marked_pages_are_hidden_from_their_owner_too(void **state)
{
    assert_int_equal(next_touch(strong), 0);
    for (unsigned page = 0; page < PAGES; page++) {
        assert_int_equal(shown[page], 0);
        assert_int_equal(homes()[page] & TOUCH, page < PAGES / 2 ? TOUCH : 0);
    }
    assert_true(svm_fault((uintptr_t)page_at(1), true));
    assert_int_equal(requests, 0);
    assert_int_equal(svm_count.moved, 0); /* it is near already */
    assert_int_equal(homes()[1], 2);
    check_contents(1);
}

static void taken_from_far(unsigned page)
{
    *owner_of(page) = svm_owned_by(*owner_of(page), FAR);
    assert_true(svm_fault((uintptr_t)page_at(page), true));
}

static void a_page_is_hot_after_four_in_a_row(void **state)
{
    taken_from_far(6);
    taken_from_far(6);
    homes()[6] = (homes()[6] & 0xfff) | 1 << 16 | 3 << 20; /* three times by quadrant 1: the count begins anew */
    for (unsigned i = 1; i <= SVM_HOT; i++) {
        taken_from_far(6);
        assert_int_equal(svm_count.moved, i == SVM_HOT);
    }
    check_contents(6);
    assert_int_equal(svm_where(page_at(6)), 0);
    taken_from_far(6); /* it is near now */
    assert_int_equal(homes()[6], svm_frame(6) + 1);
    assert_int_equal(svm_count.moved, 1);
}

static void a_call_moves_what_is_its_own(void **state)
{
    *owner_of(4) = svm_owned_by(*owner_of(4), ME);
    assert_int_equal(svm_move(page_at(4) + 5, 2 * PAGE_SIZE - 5), 0); /* page 5 is the other's */
    assert_int_equal(svm_where(page_at(4)), 0);
    assert_int_equal(svm_where(page_at(5)), 3);
    assert_int_equal(shown[4], 2);
    check_contents(4);
    assert_int_equal(svm_count.moved, 1);
}

static void wrong_calls_change_nothing(void **state)
{
    u32 before[PAGES];
    memcpy(before, homes(), sizeof(before));
    assert_int_equal(next_touch(strong + 1), -EINVAL);
    assert_int_equal(next_touch(lazy), -EINVAL);
    assert_int_equal(next_touch(NULL), -EINVAL);
    others_call(0, SVM_LAZY, (u32)(uintptr_t)strong);
    assert_int_equal(svm_next_touch(strong), -EINVAL); /* they want something else */
    assert_int_equal(svm_move(lazy, PAGE_SIZE), -EINVAL);
    assert_int_equal(svm_move(strong, PAGES * PAGE_SIZE + 1), -EINVAL);
    assert_int_equal(svm_move(strong + 1, PAGES * PAGE_SIZE), -EINVAL);
    assert_int_equal(svm_move(strong + 1, ~(size_t)0), -EINVAL);
    assert_int_equal(svm_move((void *)(SVM_BASE + SVM_SIZE), 1), -EINVAL);
    assert_memory_equal(before, homes(), sizeof(before));
    assert_int_equal(shown[0], 2);
}

static void without_a_free_frame_a_page_stays(void **state)
{
    for (unsigned i = 0; i < QUARTER; i++)
        used()[i] = 1;
    homes()[7] |= TOUCH;
    assert_true(svm_fault((uintptr_t)page_at(7), true));
    assert_int_equal(svm_where(page_at(7)), 3);
    assert_int_equal(svm_count.moved, 0);
    check_contents(7);
    assert_int_equal(svm_move(page_at(7), PAGE_SIZE), -ENOMEM);
    check_contents(7);
    for (unsigned i = 0; i < SVM_PAGES; i++)
        used()[i] = 1;
    assert_null(allocate(2, SVM_LAZY));
}

/* Nothing but frames of pages is ever shown (hal_aperture_show()), and every access ends. */
static void rubbish_in_home_words_does_no_harm(void **state)
{
    srandom(1);
    for (unsigned round = 0; round < 2000; round++) {
        for (unsigned i = 0; i < SVM_PAGES; i += round % 7 + 1) {
            homes()[i] = (u32)random() << 1;
            used()[i] = (u8)(random() % 3);
        }
        unsigned page = (unsigned)random() % PAGES;
        *owner_of(page) = svm_owned_by((u32)random(), random() % 2 ? ME : FAR);
        assert_true(svm_fault((uintptr_t)page_at(page), true));
        page_at(page)[0] = 1;
        svm_move(page_at((unsigned)random() % PAGES), (size_t)random() % (2 * PAGES * PAGE_SIZE));
        if (svm_where(page_at(page)) < 0)
            abort();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_page_begins_near_its_first_owner, setup),
        cmocka_unit_test_setup(the_next_touch_brings_a_page_and_its_frame, setup),
        cmocka_unit_test_setup(a_page_that_is_not_marked_stays, setup),
        cmocka_unit_test_setup(marked_pages_are_hidden_from_their_owner_too, setup),
        cmocka_unit_test_setup(a_page_is_hot_after_four_in_a_row, setup),
        cmocka_unit_test_setup(a_call_moves_what_is_its_own, setup),
        cmocka_unit_test_setup(wrong_calls_change_nothing, setup),
        cmocka_unit_test_setup(without_a_free_frame_a_page_stays, setup),
        cmocka_unit_test_setup(rubbish_in_home_words_does_no_harm, setup),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
