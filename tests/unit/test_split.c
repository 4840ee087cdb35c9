/* SPDX-License-Identifier: MIT */
/* The area shared with Linux: entries are announced, rung and taken back; what Linux writes there is bounded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <core/split.h>
#include <core/thread.h>
#include <core/wait.h>
#include <errors.h>

struct cpu *host_this_cpu;
bool host_irq_on = true;

static size_t cleared_at_once; /* the most that was with interrupts off */
static void *spied_memset(void *to, int c, size_t n)
{
    if (!host_irq_on && n > cleared_at_once)
        cleared_at_once = n;
    return memset(to, c, n);
}
#define memset spied_memset
#include "../../kernel/attach/split.c"
#undef memset

static _Alignas(4096) u8 area[64 * 4096];
static size_t area_size;
static unsigned kicks, posts, calls, threads;
static void (*body)(void *);
static jmp_buf idle;
ticks_t host_now, pause;
ticks_t time_from_ns(u64 ns) { return ns; }
static struct backend_area *shared(void) { return (void *)area; }
static u64 slept;
static void (*meanwhile)(void); /* what Linux does while the kernel sleeps */
void thread_sleep_ns(u64 ns)
{
    slept += ns;
    if (meanwhile)
        meanwhile();
}
static unsigned lines;
void printk(const char *fmt, ...) { lines++; }

void *hal_split_area(size_t *size)
{
    *size = area_size;
    return area_size ? area : NULL;
}
void hal_split_kick(void) { kicks++; }
void sem_init(struct semaphore *s, u32 count) { posts = count; }
void sem_post(struct semaphore *s) { posts++; }
static struct thread the_thread;
int sem_wait(struct semaphore *s, ticks_t deadline)
{
    if (!posts && the_thread.stop)
        return -ECANCELED;
    if (!posts && deadline != TICKS_NEVER) { /* nobody rings before the time is over */
        pause = deadline - host_now;
        host_now = deadline;
        return -ETIMEDOUT;
    }
    if (!posts)
        longjmp(idle, 1);
    posts--;
    return 0;
}
struct thread *thread_create(const char *name, unsigned cpu, unsigned prio, void (*entry)(void *), void *arg,
                             struct domain *d, bool fpu)
{
    body = entry;
    threads++;
    the_thread.stop = false;
    return &the_thread;
}
void thread_start(struct thread *t) {}
void thread_wake(struct thread *t) {}
void thread_join(struct thread *t)
{
    assert_true(t->stop);
    body(NULL); /* what it was woken for before, then it returns */
    threads--;
}

/* Let the thread do what it has been woken for. */
static void run(void)
{
    if (!setjmp(idle))
        body(NULL);
}

static unsigned busy; /* calls that leave something to do */
static bool rung(void *arg)
{
    calls += (unsigned)(uintptr_t)arg;
    return busy && busy--;
}

static int claim(const char *name, u32 size, uintptr_t arg)
{
    struct split_entry e = { BACKEND_BLOCK, BACKEND_READONLY, name, 77, size, rung, (void *)arg };
    void *memory = NULL;
    int n = split_claim(&e, &memory);
    if (n >= 0)
        assert_ptr_equal(memory, area + shared()->entry[n].offset);
    return n;
}

static void there_may_be_no_area(void **state)
{
    area_size = 0;
    assert_int_equal(claim("a", 4096, 1), -ENODEV);
    split_reset();
    split_irq();
    assert_int_equal(posts, 0);
}

static int setup(void **state)
{
    area_size = sizeof(area);
    memset(area, 0, sizeof(area));
    split_reset();
    memset(&split, 0, sizeof(split)); /* as loaded anew */
    memset(area + 4096, 0xee, sizeof(area) - 4096);
    kicks = posts = calls = lines = 0;
    slept = 0;
    meanwhile = NULL;
    return 0;
}

static void an_entry_is_announced(void **state)
{
    assert_int_equal(claim("first", 100, 1), 0);
    u32 generation = shared()->generation;
    assert_int_equal(claim("second", 8192, 1), 1);
    assert_int_equal(shared()->magic, BACKEND_MAGIC);
    assert_int_equal(shared()->n_entries, 2);
    assert_int_not_equal(shared()->generation, generation);
    const struct backend_entry *e = &shared()->entry[1];
    assert_string_equal(e->name, "second");
    assert_int_equal(e->type, BACKEND_BLOCK);
    assert_int_equal(e->sectors, 77);
    assert_int_equal(e->offset, 2 * 4096);
    assert_int_equal(area[e->offset], 0);
    assert_int_equal(area[e->offset + 8191], 0);
    assert_true(kicks >= 2);
}

/* A tunnel may be as large as the area. */
static void memory_is_cleared_with_interrupts_on(void **state)
{
    cleared_at_once = 0;
    assert_int_equal(claim("large", sizeof(area) - 4096, 1), 0);
    assert_int_equal(area[sizeof(area) - 1], 0);
    assert_in_range(cleared_at_once, 0, 4096);
    assert_true(host_irq_on);
}

static void a_name_belongs_to_one(void **state)
{
    assert_int_equal(claim("disk", 4096, 1), 0);
    assert_int_equal(claim("disk", 4096, 1), -EEXIST);
    assert_int_equal(claim("disk2", 4096, 1), 1);
}

static void what_does_not_fit_is_refused(void **state)
{
    assert_int_equal(claim("large", sizeof(area), 1), -ENOSPC);
    assert_int_equal(claim("all", sizeof(area) - 4096, 1), 0);
    assert_int_equal(claim("more", 1, 1), -ENOSPC);
    split_reset();
    char name[] = "a";
    for (int i = 0; i < BACKEND_ENTRIES; i++, name[0]++)
        assert_int_equal(claim(name, 4096, 1), i);
    assert_int_equal(claim("last", 4096, 1), -ENOSPC);
}

/* What lies behind the area is the kernel's, or a domain's. */
static void what_linux_writes_of_its_size_is_not_believed(void **state)
{
    assert_int_equal(claim("a", 4096, 1), 0);
    shared()->size = 1u << 30;
    assert_int_equal(claim("beyond", sizeof(area), 1), -ENOSPC);
    shared()->size = 0;
    assert_int_equal(claim("b", 4096, 1), 1);
}

static void linux_rings_and_is_heard_once(void **state)
{
    claim("a", 4096, 1);
    claim("b", 4096, 100);
    shared()->to_kernel = 2;
    split_irq();
    run();
    assert_int_equal(calls, 100);
    split_irq(); /* without saying for what */
    run();
    assert_int_equal(calls, 100);
    shared()->to_kernel = ~0u; /* also for entries that are not there */
    split_irq();
    run();
    assert_int_equal(calls, 201);
}

static void who_has_more_to_do_is_called_again_after_a_pause(void **state)
{
    claim("a", 4096, 1);
    claim("b", 4096, 100);
    busy = 2; /* both */
    shared()->to_kernel = 3;
    split_irq();
    run();
    assert_int_equal(calls, 202);
    assert_in_range(pause, 500000, 5000000);
    run();
    assert_int_equal(calls, 202);
}

static void the_thread_ends_with_the_system_and_comes_with_the_next(void **state)
{
    assert_int_equal(threads, 0);
    claim("a", 4096, 1);
    claim("b", 4096, 1);
    assert_int_equal(threads, 1);
    shared()->to_kernel = 1;
    split_irq();
    split_reset();
    assert_int_equal(threads, 0);
    assert_int_equal(calls, 1); /* not lost, and over before the reset was */
    shared()->to_kernel = 1;
    split_irq();
    assert_int_equal(posts, 0);
    assert_int_equal(claim("c", 4096, 10), 0);
    assert_int_equal(threads, 1);
    run();
    assert_int_equal(calls, 1);
}

static void the_kernel_rings_once_until_linux_has_looked(void **state)
{
    claim("a", 4096, 1);
    kicks = 0;
    split_ring(0);
    split_ring(0);
    assert_int_equal(kicks, 1);
    assert_int_equal(shared()->to_linux, 1);
    shared()->to_linux = 0;
    split_ring(0);
    assert_int_equal(kicks, 2);
}

static void each_entry_is_rung_until_its_own_bit_is_cleared(void **state)
{
    claim("a", 4096, 1);
    claim("b", 4096, 1);
    split_ring(0);
    split_ring(1);
    kicks = 0;
    shared()->to_linux &= ~2u; /* who serves the second has looked, who serves the first has not */
    split_ring(0);
    assert_int_equal(kicks, 0);
    split_ring(1);
    assert_int_equal(kicks, 1);
    assert_int_equal(shared()->to_linux, 3);
}

static void a_reset_takes_everything_back(void **state)
{
    claim("a", 4096, 1);
    u32 generation = shared()->generation;
    split_reset();
    assert_int_equal(shared()->n_entries, 0);
    assert_int_not_equal(shared()->generation, generation);
    shared()->to_kernel = 1;
    split_irq();
    run();
    assert_int_equal(calls, 0);
    assert_int_equal(claim("a", 4096, 1), 0);
}

/* A program of Linux that serves entry `n` says so, and lets go when the generation has changed. */
static void serve(unsigned n) { shared()->entry[n].served = shared()->generation; }
static u32 serves_in;
static void lets_go_after_3_ms(void)
{
    assert_int_equal(shared()->n_entries, 0); /* first it is told */
    assert_int_not_equal(shared()->generation, serves_in);
    if (slept >= 3000000)
        shared()->entry[0].served = 0;
}

static void a_reset_waits_for_programs_that_serve_an_entry(void **state)
{
    claim("a", 8192, 1);
    u32 at = shared()->entry[0].offset;
    serve(0);
    serves_in = shared()->generation;
    meanwhile = lets_go_after_3_ms;
    split_reset();
    assert_in_range(slept, 3000000, 10000000);
    claim("b", 8192, 1);
    assert_int_equal(shared()->entry[0].offset, at);
    split_reset(); /* nobody serves it */
    assert_in_range(slept, 3000000, 10000000);
    assert_int_equal(lines, 0);
}

/* Its program may still write there: a read of a slow disk that it has begun, or a frame. */
static void what_a_program_still_serves_is_given_to_no_later_system(void **state)
{
    claim("a", 8192, 1);
    claim("b", 4096, 1);
    claim("c", 4096, 1);
    u32 end = shared()->entry[1].offset + shared()->entry[1].size;
    serve(1);
    split_reset();
    assert_in_range(slept, 500000000, 2000000000);
    assert_int_equal(lines, 1);
    for (unsigned i = 0; i < 3; i++) {
        slept = 0;
        claim("a", 8192, 1);
        assert_int_equal(shared()->entry[0].offset, end);
        assert_int_equal(shared()->entry[0].served, 0);
        split_reset();
        assert_int_equal(slept, 0);
    }
    claim("all", (u32)sizeof(area) - end, 1);
    serve(0);
    shared()->entry[0].offset = shared()->entry[0].size = 4096; /* Linux says what it likes */
    split_reset();
    assert_int_equal(claim("a", 1, 1), -ENOSPC); /* until the kernel is loaded again */
}

static void the_generation_is_counted_where_linux_cannot_write(void **state)
{
    claim("a", 4096, 1);
    u32 generation = shared()->generation;
    assert_int_not_equal(generation, 0);
    shared()->generation = ~0u;
    claim("b", 4096, 1);
    assert_int_equal(shared()->generation, generation + 1);
    split_reset();
    assert_int_equal(shared()->generation, generation + 2);
    split.generation = LIFE_MASK;
    claim("a", 4096, 1);
    assert_int_equal(shared()->generation, 1); /* 0: nobody serves it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_may_be_no_area),
        cmocka_unit_test_setup(an_entry_is_announced, setup),
        cmocka_unit_test_setup(memory_is_cleared_with_interrupts_on, setup),
        cmocka_unit_test_setup(a_name_belongs_to_one, setup),
        cmocka_unit_test_setup(what_does_not_fit_is_refused, setup),
        cmocka_unit_test_setup(what_linux_writes_of_its_size_is_not_believed, setup),
        cmocka_unit_test_setup(linux_rings_and_is_heard_once, setup),
        cmocka_unit_test_setup(who_has_more_to_do_is_called_again_after_a_pause, setup),
        cmocka_unit_test_setup(the_thread_ends_with_the_system_and_comes_with_the_next, setup),
        cmocka_unit_test_setup(the_kernel_rings_once_until_linux_has_looked, setup),
        cmocka_unit_test_setup(each_entry_is_rung_until_its_own_bit_is_cleared, setup),
        cmocka_unit_test_setup(a_reset_takes_everything_back, setup),
        cmocka_unit_test_setup(a_reset_waits_for_programs_that_serve_an_entry, setup),
        cmocka_unit_test_setup(what_a_program_still_serves_is_given_to_no_later_system, setup),
        cmocka_unit_test_setup(the_generation_is_counted_where_linux_cannot_write, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
