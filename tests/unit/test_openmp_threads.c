/* SPDX-License-Identifier: MIT */
/*
 * The OpenMP runtime on threads of the host, compiled as its programs are but for gcc's own atomic operations, and
 * looked at by the thread sanitizer: what one thread wrote before a release another one reads after an acquire only
 * (tests/host/openmp/cache_ops.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <omp_threads.h>
#include <omp.h>
#include <unistd.h>

#define LIMIT  30  /* seconds until a hang is a failure */
#define LOCKED 100 /* times that each thread takes a lock */

static int wrong; /* of the program that runs */

/* What the sanitizer is told: all that was drained before reaches who invalidates after. gcc calls the others for
 * volatile words, which order nothing, but that the line of a thread is its drain. */
static char memory;
void __tsan_acquire(void *at);
void __tsan_release(void *at);
void omp_host_invalidate(void) { __tsan_acquire(&memory); }
void __tsan_volatile_write4(void *at);
void __tsan_volatile_write4(void *at)
{
    if (omp_self.calls && at == omp_self.calls->line)
        __tsan_release(&memory);
}
#define UNORDERED(name)                                                                                                \
    void __tsan_volatile_##name(void *at);                                                                             \
    void __tsan_volatile_##name(void *at) {}
UNORDERED(read1)
UNORDERED(read2)
UNORDERED(read4)
UNORDERED(read8)
UNORDERED(write1)
UNORDERED(write2)
UNORDERED(write8)

#define CHECK(what)                                                                                                    \
    do {                                                                                                               \
        if (!(what)) {                                                                                                 \
            fprintf(stderr, "%s:%d: thread %d: %s\n", __FILE__, __LINE__, omp_get_thread_num(), #what);                \
            __atomic_store_n(&wrong, 1, __ATOMIC_RELAXED);                                                             \
        }                                                                                                              \
    } while (0)

static void run(int threads, void (*body)(void))
{
    wrong = 0;
    alarm(LIMIT);
    assert_int_equal(omp_threads(threads, body), 0);
    alarm(0);
    assert_int_equal(wrong, 0);
}

/* Teams of two have come to this barrier since thread 2 was in a team. Then it is in one again, and late. */
static u32 barriers_before;

static void grow(void)
{
    static volatile int late;
    late = 0;
    omp_self.barriers = barriers_before;
    for (u32 set = 0; set < 2; set++)
        for (u32 round = 0; round < ROUNDS; round++)
            for (u32 i = 0; i < 2; i++)
                omp_self.words->arrived[set][round][i].word = barriers_before;
#pragma omp parallel num_threads(2)
    CHECK(omp_get_num_threads() == 2);
#pragma omp parallel num_threads(3)
    for (int round = 1; round <= 4; round++) {
        if (omp_get_thread_num() == 2) {
            usleep(5000);
            late = round;
        }
#pragma omp barrier
        CHECK(late == round);
#pragma omp barrier
    }
}

static void a_team_that_grows_waits_for_all_at_any_number_of_barriers(void **state)
{
    static const u32 numbers[] = { 0, 0x7ffffffc, 0x7fffffff, 0x80000000, 0x80000010, 0xfffffffb };
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        barriers_before = numbers[i];
        run(3, grow);
    }
}

/* Each iteration waits for the one before it. Thread 1 comes late, and its row is of a loop of long ago. */
static void wait_in_loops(void)
{
    static const u32 numbers[] = { 0, 0x80000010, 0x10, 0x80000020 };
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        int done = 0;
        omp_self.works = numbers[i];
#pragma omp parallel num_threads(2)
        {
            usleep(omp_get_thread_num() ? 5000 : 0);
#pragma omp for ordered(1) schedule(static, 1)
            for (int at = 7; at >= 0; at--) {
#pragma omp ordered depend(sink : at + 1)
                CHECK(done == 7 - at);
                done = 8 - at;
#pragma omp ordered depend(source)
            }
        }
    }
}

static void an_iteration_waits_for_earlier_ones_at_any_number_of_loops(void **state) { run(2, wait_in_loops); }

static int fibonacci(int n)
{
    int a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fibonacci(n - 1);
#pragma omp task shared(b)
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

static void add_up(int *table, int n)
{
    int sum = 0, in_order = 0, locked = 0, named = 0, copied = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel reduction(+ : sum)
    {
        int got;
#pragma omp for schedule(dynamic, 3)
        for (int i = 0; i < n; i++)
            table[i] = i;
#pragma omp for schedule(guided) ordered
        for (int i = 0; i < n; i++) {
            sum += table[n - 1 - i];
#pragma omp ordered
            {
                CHECK(in_order == i);
                in_order++;
            }
        }
        for (int i = 0; i < LOCKED; i++) {
            omp_set_lock(&lock);
            locked++;
            omp_unset_lock(&lock);
#pragma omp critical(name)
            named++;
        }
#pragma omp single copyprivate(got)
        got = 42;
#pragma omp critical
        copied += got;
#pragma omp sections
        {
#pragma omp section
            table[0]++;
#pragma omp section
            table[1]++;
        }
#pragma omp single
        CHECK(table[0] == 1 && table[1] == 2);
    }
    CHECK(sum == n * (n - 1) / 2 && in_order == n);
    CHECK(locked == LOCKED * omp_get_max_threads() && named == locked && copied == 42 * omp_get_max_threads());
    omp_destroy_lock(&lock);
}

static void use_constructs(void)
{
    static int table[200];
    int result = 0, tasks = 0;
    add_up(table, 200);
#pragma omp parallel
#pragma omp single
    {
        result = fibonacci(9);
#pragma omp taskloop grainsize(7) reduction(+ : tasks)
        for (int i = 0; i < 100; i++)
            tasks += i;
    }
    CHECK(result == 34 && tasks == 4950);
}

static void what_threads_share_is_released_and_acquired(void **state)
{
    for (int threads = 1; threads <= 4; threads++)
        run(threads, use_constructs);
}

static void depend_on_detached(bool waits)
{
    int x = 0, done = 0;
    bool told = false;
    omp_event_handle_t event;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task detach(event) depend(out : x) shared(x)
        x = 1;
#pragma omp task depend(inout : x) shared(x, told)
        {
            CHECK(told && x == 1);
            x = 2;
        }
#pragma omp task depend(in : x) shared(x, done)
        {
            CHECK(x == 2);
            done++;
        }
        told = true;
        omp_fulfill_event(event);
        if (waits) {
#pragma omp taskwait
            CHECK(done == 1);
        }
    }
    CHECK(done == 1);
}

static void depend(void)
{
    depend_on_detached(false);
    depend_on_detached(true);
}

static void a_task_that_depends_on_a_detached_one_does_not_hold_its_maker(void **state)
{
    for (int threads = 1; threads <= 4; threads++)
        run(threads, depend);
}

/* A task that a thread runs in the midst of another one. */
static void nest(void)
{
    omp_nest_lock_t lock;
    omp_init_nest_lock(&lock);
    int inner = -1;
#pragma omp parallel num_threads(1)
    {
        omp_set_nest_lock(&lock);
        CHECK(omp_test_nest_lock(&lock) == 2);
#pragma omp task shared(lock, inner)
        inner = omp_test_nest_lock(&lock);
#pragma omp taskwait
        CHECK(inner == 0);
        omp_unset_nest_lock(&lock);
        omp_unset_nest_lock(&lock);
#pragma omp task shared(lock, inner)
        {
            inner = omp_test_nest_lock(&lock);
            omp_unset_nest_lock(&lock);
        }
#pragma omp taskwait
        CHECK(inner == 1);
    }
    omp_destroy_nest_lock(&lock);
}

static void a_nested_lock_is_its_tasks_not_its_threads(void **state) { run(2, nest); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_team_that_grows_waits_for_all_at_any_number_of_barriers),
        cmocka_unit_test(an_iteration_waits_for_earlier_ones_at_any_number_of_loops),
        cmocka_unit_test(what_threads_share_is_released_and_acquired),
        cmocka_unit_test(a_task_that_depends_on_a_detached_one_does_not_hold_its_maker),
        cmocka_unit_test(a_nested_lock_is_its_tasks_not_its_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
