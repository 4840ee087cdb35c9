/* SPDX-License-Identifier: MIT */
/* Shared virtual memory for a process, as the kernel of one of its cores sees it: its calls with right and wrong
 * arguments, which pages it reaches and when, and what its end leaves. */
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
#include <generated/scc_calls.h>
#include <signals.h>
#include <stdlib.h>
#include <string.h>
#include <svm/space.h>
#include <svm/state.h>
#include <sys/mman.h>
#include <unistd.h>

#include "process/part.h"
#include "records.h"

#define ME          2u
#define OTHER       7u
#define AT          0xde200000ul /* the process's address of page FIRST */
#define FIRST       100u
#define PAGES       40u
#define SHARED_SIZE (1u << 24)

unsigned scc_core = ME;
bool host_irq_on = true;
u64 host_now = 1, time_hz = 1000000000;
unsigned host_invalidates;
static struct thread thread;
static struct space space;
static struct sys_domain conf[2];
static struct domain domain[2];
static struct process process[2]; /* the second one has no pages */
static struct process_thread self, poor;
static u8 outside[PAGES]; /* 1 for reading, 2 for writing */
static bool no_tables, call_inside;
static int call_result;
static unsigned sent;
const struct sys_header *system_table;
const struct sys_domain *sys_domain(const struct sys_header *h, unsigned i) { return &conf[i]; }
static unsigned arrives; /* in how many looks of this core's the other one comes to the barrier, and ends */
static void other_arrives_and_ends(void);

bool scc_chosen(unsigned core) { return core == ME || core == OTHER || core == 40; }
ticks_t time_from_ns(u64 ns) { return ns; }
struct thread *thread_self(void)
{
    if (arrives && !--arrives)
        other_arrives_and_ends();
    return &thread;
}
void printk(const char *fmt, ...) {}
void panic(const char *fmt, ...) { abort(); }
void clear_pages(void *at, u64 count) { memset(at, 0, count * PAGE_SIZE); }
void mutex_init(struct mutex *m) {}
int mutex_lock(struct mutex *m) { return thread.stop ? -ECANCELED : 0; }
void mutex_unlock(struct mutex *m) {}
void timer_init(struct timer *t, void (*fn)(void *), void *arg) { *t = (struct timer){ .fn = fn, .arg = arg }; }
void timer_arm(struct timer *t, ticks_t deadline) {}
/* The kernel's memory: for two copies of each page of the process's. */
static u8 copies[2 * PAGES][PAGE_SIZE] __aligned(PAGE_SIZE);
static u64 taken;
void *pages_alloc(u64 count)
{
    assert_in_range(count, 2, 2 * PAGES);
    assert_int_equal(taken, 0); /* the tests have one region of copies at a time */
    taken = count;
    return copies;
}
void frames_free(paddr_t base, u64 count)
{
    assert_int_equal(count, taken);
    taken = 0;
}
void mail_serve(void (*serve)(const struct mail *m)) {}
int mail_request(unsigned to, const void *data, unsigned bytes)
{
    sent++;
    return 0;
}
int hal_aperture_init(uintptr_t va, size_t size) { return 0; }
int hal_aperture_init_outside(struct space *s, uintptr_t va, size_t size)
{
    assert_int_equal(va, AT);
    assert_int_equal(size, PAGES * PAGE_SIZE);
    return no_tables ? -ENOMEM : 0;
}

/* Sleeping. Meanwhile another thread may make a call. */
int thread_block(ticks_t deadline)
{
    host_now = deadline;
    if (call_inside) {
        call_result = (int)scc_call_svm_barrier(&self);
        svm_shared()->beat[OTHER].word = SVM_ENDED;
    }
    return 0;
}

static int memory;
void hal_aperture_show(uintptr_t va, paddr_t pa, bool write)
{
    assert_in_range(va, svm_address(FIRST), svm_address(FIRST + PAGES) - 1);
    if (pa - (uintptr_t)copies < sizeof(copies))
        return;
    assert_int_equal(pa, SCC_SVM_PAGES + (va - SVM_BASE));
    void *at =
        mmap((void *)va, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory, (off_t)(pa - SCC_SHARED));
    assert_ptr_equal(at, va);
}
void hal_aperture_hide(uintptr_t va) {}

static unsigned number(const struct space *s, uintptr_t va)
{
    assert_ptr_equal(s, &space);
    assert_in_range(va, AT, AT + (PAGES - 1) * PAGE_SIZE);
    return (unsigned)((va - AT) / PAGE_SIZE);
}
void hal_aperture_show_outside(const struct space *s, uintptr_t va, paddr_t pa, bool write)
{
    if (pa - (uintptr_t)copies >= sizeof(copies))
        assert_int_equal(pa, SCC_SVM_PAGES + (FIRST + number(s, va)) * PAGE_SIZE);
    outside[number(s, va)] = write ? 2 : 1;
}
void hal_aperture_hide_outside(const struct space *s, uintptr_t va) { outside[number(s, va)] = 0; }

static u32 *owner_of(unsigned page) { return &svm_shared()->owner[FIRST + page]; }

static bool other_fails;
void host_others_end(void)
{
    svm_shared()->call[OTHER].outcome = other_fails ? SVM_FAILED : svm_shared()->call[ME].outcome;
}

static void other_arrives(s16 ahead)
{
    u32 epoch = svm_shared()->epoch[ME].word;
    if (epoch % 2)
        svm_shared()->epoch[OTHER].word = epoch++;
    signals_set(ME, epoch << 16 | (u16)(signals_counted(OTHER, (u16)epoch) + ahead));
}

static void other_calls(u32 bytes, u32 model, u32 address)
{
    other_arrives(1000);
    svm_shared()->call[OTHER] = (struct svm_call){ .bytes = bytes, .model = model, .address = address };
}

/* The kernel's address of the process's, which members compare. */
static u32 inside(s64 at) { return (u32)(svm_address(FIRST) + (u64)at - AT); }

static void other_arrives_and_ends(void)
{
    other_arrives(1000);
    svm_shared()->beat[OTHER].word = SVM_ENDED;
}

static s64 alloc(unsigned pages, enum svm_model model)
{
    other_calls(pages * PAGE_SIZE, model, 0);
    return scc_call_svm_alloc(&self, pages, model);
}

static s64 give_back(s64 at)
{
    other_calls(0, SVM_MODELS + 1, inside(at));
    return scc_call_svm_free(&self, (u64)at);
}

static int group_setup(void **state)
{
    memory = memfd_create("memory", 0);
    if (ftruncate(memory, SHARED_SIZE) || mmap((void *)SCC_SHARED, SHARED_SIZE, PROT_READ | PROT_WRITE,
                                               MAP_SHARED | MAP_FIXED_NOREPLACE, memory, 0) != (void *)SCC_SHARED)
        return -1;
    for (const init_call *call = __initcalls_start; call < __initcalls_end; call++)
        (*call)();
    kernels_run();
    process_record(&conf[0])->svm_pages = PAGES;
    for (unsigned i = 0; i < 2; i++) {
        domain[i].conf = &conf[i];
        process[i].domain = &domain[i];
    }
    self.process = &process[0];
    poor.process = &process[1];
    assert_int_equal(svm_members(), 3);
    assert_false(svm_space_has(AT));
    no_tables = true;
    assert_int_equal(svm_space_give(&space, 1u << ME | 1u << OTHER, AT, FIRST, PAGES), -ENOMEM);
    assert_false(svm_space_has(AT));
    no_tables = false;
    return svm_space_give(&space, 1u << ME | 1u << OTHER, AT, FIRST, PAGES);
}

static int setup(void **state)
{
    process_parts(&process[0], PROCESS_BEGINS);
    other_arrives(1000);
    thread.stop = false;
    call_inside = false;
    svm_shared()->beat[OTHER].word = 1;
    return 0;
}

static void its_cores_are_the_members(void **state)
{
    assert_int_equal(scc_call_svm_members(&self), 2);
    assert_int_equal(scc_call_svm_rank(&self), 0);
    assert_true(svm_space_has(AT) && svm_space_has(AT + PAGES * PAGE_SIZE - 1));
    assert_false(svm_space_has(AT - 1) || svm_space_has(AT + PAGES * PAGE_SIZE) || svm_space_has(0) ||
                 svm_space_has(~0ull) || svm_space_has(1ull << 32 | AT));
}

static void who_has_no_pages_makes_no_call(void **state)
{
    assert_int_equal(scc_call_svm_alloc(&poor, 1, SVM_LAZY), -EPERM);
    assert_int_equal(scc_call_svm_free(&poor, AT), -EPERM);
    assert_int_equal(scc_call_svm_change(&poor, AT, SVM_LAZY), -EPERM);
    assert_int_equal(scc_call_svm_barrier(&poor), -EPERM);
    assert_int_equal(scc_call_svm_acquire(&poor), -EPERM);
    assert_int_equal(scc_call_svm_release(&poor), -EPERM);
    assert_int_equal(scc_call_svm_rank(&poor), -EPERM);
    assert_int_equal(scc_call_svm_members(&poor), -EPERM);
    assert_false(scc_fault(&poor, AT, 0));
    process_parts(&process[1], PROCESS_ENDS);
}

static void each_argument_is_checked(void **state)
{
    assert_int_equal(alloc(0, SVM_LAZY), -EINVAL);
    assert_int_equal(alloc(PAGES + 1, SVM_LAZY), -ENOMEM);
    assert_int_equal(alloc(0xffff, SVM_LAZY), -ENOMEM);
    other_calls(PAGE_SIZE, SVM_LAZY, 0);
    assert_int_equal(scc_call_svm_alloc(&self, 2, SVM_LAZY), -EINVAL); /* not the same */
    assert_int_equal(scc_call_svm_alloc(&self, 1, SVM_STRONG), -EINVAL);
    s64 at = alloc(3, SVM_LAZY);
    assert_int_equal(at, AT);
    const u64 wrong[] = { 0, AT - PAGE_SIZE, AT + 1, AT + PAGE_SIZE, AT + PAGES * PAGE_SIZE, SVM_BASE, ~0ull };
    for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++) {
        u32 named = svm_space_has(wrong[i]) ? inside((s64)wrong[i]) : 0;
        other_calls(0, SVM_MODELS + 1, named);
        assert_int_equal(scc_call_svm_free(&self, wrong[i]), -EINVAL);
        other_calls(0, SVM_STRONG, named);
        assert_int_equal(scc_call_svm_change(&self, wrong[i], SVM_STRONG), -EINVAL);
    }
    other_calls(0, SVM_STRONG, inside(at));
    assert_int_equal(scc_call_svm_change(&self, (u64)at, SVM_STRONG), 0);
    assert_int_equal(scc_call_svm_barrier(&self), 0);
    assert_int_equal(scc_call_svm_acquire(&self), 0);
    assert_int_equal(scc_call_svm_release(&self), 0);
    assert_int_equal(give_back(at), 0);
    assert_int_equal(give_back(at), -EINVAL);
}

static void a_page_is_there_by_the_model_of_its_region(void **state)
{
    assert_false(scc_fault(&self, AT, 0)); /* in no region */
    s64 lazy = alloc(2, SVM_LAZY), strong = alloc(4, SVM_STRONG), frozen = alloc(1, SVM_READ_ONLY);
    assert_int_equal(outside[0], 0);
    assert_true(scc_fault(&self, (u64)lazy + 17, 0));
    assert_int_equal(outside[0], 2);
    assert_int_equal(outside[2], 2); /* its own part */
    assert_int_equal(outside[4], 0); /* the other's */
    *owner_of(4) = svm_owned_by(*owner_of(4), ME);
    assert_true(scc_fault(&self, (u64)strong + 2 * PAGE_SIZE, SPACE_WRITE));
    assert_int_equal(outside[4], 2);
    assert_false(scc_fault(&self, (u64)frozen, SPACE_WRITE));
    assert_true(scc_fault(&self, (u64)frozen, 0));
    assert_int_equal(outside[6], 1);
    assert_false(scc_fault(&self, (u64)lazy, SPACE_EXEC));
    assert_false(scc_fault(&self, AT + 7 * PAGE_SIZE, 0));
    *owner_of(5) = svm_owned_by(*owner_of(5), OTHER);
    sent = 0;
    assert_false(scc_fault(&self, (u64)strong + 3 * PAGE_SIZE, 0)); /* it does not answer */
    assert_true(sent > 0);
    thread.stop = true;
    assert_true(scc_fault(&self, (u64)strong + 3 * PAGE_SIZE, 0)); /* it ends and is no fault */
    thread.stop = false;
    assert_int_equal(give_back(lazy), 0);
    assert_int_equal(outside[0], 0);
    assert_int_equal(give_back(strong), 0);
    assert_int_equal(outside[2] | outside[3] | outside[4], 0);
    assert_int_equal(give_back(frozen), 0);
}

/* First fit, and there is an end of regions. */
static void what_is_free_is_used_again(void **state)
{
    s64 at[SVM_REGIONS];
    for (unsigned i = 0; i < SVM_REGIONS; i++)
        assert_int_equal(at[i] = alloc(1, SVM_LAZY), AT + i * PAGE_SIZE);
    assert_int_equal(alloc(1, SVM_LAZY), -ENOMEM);
    for (unsigned i = 3; i < 6; i++)
        assert_int_equal(give_back(at[i]), 0);
    assert_int_equal(at[3] = alloc(2, SVM_STRONG), AT + 3 * PAGE_SIZE);
    assert_int_equal(at[4] = alloc(2, SVM_LAZY), AT + SVM_REGIONS * PAGE_SIZE);
    assert_int_equal(at[5] = alloc(1, SVM_LAZY), AT + 5 * PAGE_SIZE);
    for (unsigned i = 0; i < SVM_REGIONS; i++)
        assert_int_equal(give_back(at[i]), 0);
    s64 all = alloc(PAGES, SVM_LAZY);
    assert_int_equal(all, AT);
    assert_int_equal(give_back(all), 0);
    assert_null(svm_region_of(FIRST));
}

/* Any calls with any numbers: the process is shown pages of its own regions only (hal_aperture_show_outside above), and
 * gets addresses of its own range. */
static void no_call_reaches_another_page(void **state)
{
    srandom(1);
    for (unsigned round = 0; round < 20000; round++) {
        u64 at = random() % 4 ? AT + (u64)(random() % (PAGES + 2)) * PAGE_SIZE : (u64)random() << (random() % 40);
        enum svm_model model = (enum svm_model)(random() % (SVM_ONCE + 1));
        u32 named = svm_space_has(at) ? inside((s64)at) : 0;
        s64 result = 0;
        switch (random() % 4) {
        case 0: result = alloc((unsigned)random() % (random() % 2 ? 8 : 0x10000), model); break;
        case 1:
            other_calls(0, SVM_MODELS + 1, named);
            result = scc_call_svm_free(&self, at);
            break;
        case 2:
            other_calls(0, model, named);
            result = scc_call_svm_change(&self, at, model);
            break;
        default:
            for (unsigned page = 0; page < PAGES; page++) /* nobody is asked, who would not answer */
                *owner_of(page) = svm_owned_by(*owner_of(page), random() % 2 ? ME : OWNER_ALL);
            if (svm_space_has(at) && scc_fault(&self, at, (unsigned)random() % 2))
                assert_non_null(svm_region_of(FIRST + (unsigned)((at - AT) / PAGE_SIZE)));
            break;
        }
        assert_true(result <= 0 || (result >= (s64)AT && result < (s64)(AT + PAGES * PAGE_SIZE)));
        assert_true(result >= 0 || result == -EINVAL || result == -ENOMEM);
        for (unsigned page = 0; page < PAGES; page++)
            assert_true(!outside[page] || svm_region_of(FIRST + page));
    }
    for (unsigned page = 0; page < PAGES; page++)
        if (svm_region_at(svm_address(FIRST + page)))
            assert_int_equal(give_back((s64)(AT + page * PAGE_SIZE)), 0);
}

static void a_run_that_has_ended_can_have_a_next_one(void **state)
{
    s64 at = alloc(1, SVM_LAZY);
    assert_true(scc_fault(&self, (u64)at, 0));
    process_parts(&process[0], PROCESS_ENDS);
    assert_int_equal(svm_shared()->beat[ME].word, SVM_ENDED); /* who waits for it gets an error */
    assert_int_equal(outside[0], 2);                          /* and it still gives what it owned */
    process_parts(&process[0], PROCESS_BEGINS);
    assert_int_not_equal(svm_shared()->beat[ME].word, SVM_ENDED);
    assert_int_equal(alloc(2, SVM_STRONG), at);
    assert_int_equal(outside[0], 2);
    assert_int_equal(outside[1], 0);
    assert_int_equal(give_back(at), 0);
}

static void a_call_that_fails_on_another_core_only_ends_what_they_had(void **state)
{
    other_fails = true;
    assert_int_equal(alloc(1, SVM_LAZY), -EPIPE);
    other_fails = false;
    assert_int_equal(svm_shared()->epoch[ME].word % 2, 1);
    assert_int_equal(scc_call_svm_lock(&self, 3), -EPIPE);
    s64 at = alloc(1, SVM_LAZY);
    assert_int_equal(at, AT);
    assert_int_equal(give_back(at), 0);
}

/* Copies are the kernel's memory, and are given back with the region, or with all of them. */
static void copies_take_no_more_than_the_pages_twice(void **state)
{
    assert_int_equal(alloc(PAGES + 1, SVM_TWINS), -ENOMEM);
    s64 at = alloc(PAGES, SVM_TWINS);
    assert_int_equal(at, AT);
    assert_true(scc_fault(&self, AT, 0));
    assert_int_equal(outside[0], 1);
    assert_true(scc_fault(&self, AT, SPACE_WRITE));
    assert_int_equal(outside[0], 2);
    copies[0][7] = 5;
    assert_int_equal(scc_call_svm_release(&self), 0);
    assert_int_equal(outside[0], 1);
    assert_int_equal(*(u8 *)(SCC_SVM_PAGES + FIRST * PAGE_SIZE + 7), 5);
    assert_int_equal(scc_call_svm_acquire(&self), 0);
    assert_int_equal(outside[0], 0);
    assert_true(scc_fault(&self, AT, SPACE_WRITE));
    assert_int_equal(give_back(at), 0);
    assert_int_equal(taken, 0);
    at = alloc(1, SVM_TWINS);
    assert_true(scc_fault(&self, (u64)at, SPACE_WRITE));
    process_parts(&process[0], PROCESS_ENDS);
    process_parts(&process[0], PROCESS_BEGINS);
    other_arrives(1000);
    assert_int_equal(scc_call_svm_barrier(&self), 0);
    assert_int_equal(taken, 0);
    assert_int_equal(outside[0], 0);
    assert_false(scc_fault(&self, AT, 0));
}

/* A thread touches a region of copies whose allocation has not returned in another one. */
static void a_region_without_copies_is_not_there_yet(void **state)
{
    s64 at = alloc(1, SVM_LAZY);
    svm_region_at(svm_address(FIRST))->model = SVM_TWINS;
    assert_false(scc_fault(&self, (u64)at, SPACE_WRITE));
    assert_int_equal(outside[0], 0);
    assert_int_equal(give_back(at), 0);
}

static void a_lock_is_this_runs_until_it_gives_it_back_or_ends(void **state)
{
    assert_int_equal(scc_call_svm_barrier(&self), 0);
    assert_int_equal(scc_call_svm_lock(&poor, 3), -EPERM);
    assert_int_equal(scc_call_svm_unlock(&poor, 3), -EPERM);
    assert_int_equal(scc_call_svm_unlock(&self, 3), -EPERM);
    assert_int_equal(scc_call_svm_lock(&self, 3), 0);
    assert_int_equal(svm_shared()->lock[ME][3].holder, ME + 1);
    assert_int_equal(scc_call_svm_unlock(&self, 3), 0);
    assert_int_equal(svm_shared()->lock[ME][3].holder | svm_shared()->lock[ME][3].taken, 0);
    svm_shared()->lock[ME][3] = (struct svm_lock){ .taken = 1, .holder = OTHER + 1 };
    svm_shared()->beat[OTHER].word = SVM_ENDED;
    assert_int_equal(scc_call_svm_lock(&self, 3), -ETIMEDOUT);
    svm_shared()->beat[OTHER].word = 1;
    svm_shared()->lock[ME][3] = (struct svm_lock){ 0 };
    assert_int_equal(scc_call_svm_lock(&self, 3), 0);
    process_parts(&process[0], PROCESS_ENDS);
    process_parts(&process[0], PROCESS_BEGINS);
    assert_int_equal(scc_call_svm_unlock(&self, 3), -EPERM);
    other_arrives(1000);
    assert_int_equal(scc_call_svm_barrier(&self), 0);
    assert_int_equal(scc_call_svm_lock(&self, 3), 0); /* the new epoch has new locks */
    assert_int_equal(scc_call_svm_unlock(&self, 3), 0);
}

/* Between this core's look at the barrier's word, and at whether it lives; it sleeps between two looks already. */
static void who_comes_to_a_barrier_and_ends_at_once_has_come(void **state)
{
    assert_int_equal(scc_call_svm_barrier(&self), 0);
    other_arrives(0);
    arrives = 2002;
    assert_int_equal(scc_call_svm_barrier(&self), 0);
    assert_int_equal(arrives, 0);
}

static void one_thread_makes_a_call_and_the_others_end_ends_it(void **state)
{
    assert_int_equal(scc_call_svm_barrier(&self), 0);
    other_arrives(0);
    call_inside = true;
    assert_int_equal(scc_call_svm_barrier(&self), -ETIMEDOUT);
    assert_int_equal(call_result, -EBUSY);
    assert_int_equal(svm_shared()->epoch[ME].word % 2, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(its_cores_are_the_members, setup),
        cmocka_unit_test_setup(who_has_no_pages_makes_no_call, setup),
        cmocka_unit_test_setup(each_argument_is_checked, setup),
        cmocka_unit_test_setup(a_page_is_there_by_the_model_of_its_region, setup),
        cmocka_unit_test_setup(what_is_free_is_used_again, setup),
        cmocka_unit_test_setup(no_call_reaches_another_page, setup),
        cmocka_unit_test_setup(a_run_that_has_ended_can_have_a_next_one, setup),
        cmocka_unit_test_setup(copies_take_no_more_than_the_pages_twice, setup),
        cmocka_unit_test_setup(a_region_without_copies_is_not_there_yet, setup),
        cmocka_unit_test_setup(a_lock_is_this_runs_until_it_gives_it_back_or_ends, setup),
        cmocka_unit_test_setup(a_call_that_fails_on_another_core_only_ends_what_they_had, setup),
        cmocka_unit_test_setup(who_comes_to_a_barrier_and_ends_at_once_has_come, setup),
        cmocka_unit_test_setup(one_thread_makes_a_call_and_the_others_end_ends_it, setup),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
