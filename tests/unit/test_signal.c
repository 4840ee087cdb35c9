/* SPDX-License-Identifier: MIT */
/* Signals and alarms of a process's threads (signal.c), with the contexts of x86-64 (arch/x86/64/user/signal.c).
 * Threads of the process are threads of the fake machine; its memory is an array. */
#include "threads.h"

#include <core/domain.h>
#include <core/sched.h>
#include <generated/process_calls.h>
#include <hal/user.h>
#include <signal.h>
#include <sys/mman.h>

#include "process/pages.h"
#include "process/signal.h"
#include "process/waiters.h"

#define ENTRY   (USER_BASE + 0x100)
#define STACK   (USER_BASE + 2000)
#define CONTEXT 1696 /* offset: 2000 - the red zone of 128 - a context of 176 */
#define WORD    (USER_BASE + 0x40)
#define SECOND  1000000000ull

static struct process process;
static struct process_thread threads[4];
static _Alignas(16) u8 memory[4096];
static bool writable;
static s64 result[4];

static void *here(const void *at)
{
    u64 offset = (u64)(uintptr_t)at - USER_BASE;
    return offset < sizeof(memory) ? &memory[offset] : (void *)(uintptr_t)at;
}

int user_copy_piece(struct user *u, void *to, const void *from, size_t n)
{
    bool in = (u64)(uintptr_t)to - USER_BASE < USER_END - USER_BASE;
    u64 offset = (u64)(uintptr_t)(in ? to : from) - USER_BASE;
    if ((in && !writable) || offset > sizeof(memory) - n)
        return -EFAULT;
    memcpy(here(to), here(from), n);
    return 0;
}

bool process_page_in(struct process_thread *t, u64 at, size_t n, unsigned access) { return false; }

static int begin(void **state)
{
    setup(state);
    process = (struct process){ .thread = threads, .n = 4, .signal_entry = ENTRY };
    list_init(&process.waiters);
    memset(memory, 0, sizeof(memory));
    writable = true;
    for (unsigned i = 0; i < 4; i++) {
        struct process_thread *t = &threads[i];
        *t = (struct process_thread){ .process = &process, .number = (u8)i, .state = i < 3 ? PROCESS_RUNNING : 0 };
        process_signals_init(t);
        t->user.frame.rip = USER_BASE + i;
        t->user.frame.rsp = STACK;
        t->user.frame.cs = 0x3b;
        t->user.frame.ss = 0x33;
        t->user.frame.rflags = 0x202;
        result[i] = 1;
    }
    return 0;
}

static void wait_body(void *arg)
{
    struct process_thread *t = arg;
    process_waiter_add(t, t->exit_word);
    result[t->number] = process_waiter_block(t, ~0ull);
}
static void nothing(void *arg) { thread_block(TICKS_NEVER); }

/* Thread n waits at an address, or just sleeps. */
static void sleeps(unsigned n, u64 at)
{
    threads[n].exit_word = at;
    threads[n].thread = thread_create("t", n % 2, 8, at ? wait_body : nothing, &threads[n], NULL, false);
    thread_start(threads[n].thread);
    host_settle();
}

static bool takes(unsigned n, u64 signal)
{
    struct user *u = &threads[n].user;
    assert_true(threads[n].look & PROCESS_SIGNAL);
    return !process_signal_take(&threads[n]) && u->frame.rip == ENTRY && u->frame.rdi == signal;
}

static void test_the_context_lies_below_the_red_zone_and_comes_back(void **state)
{
    struct user *u = &threads[0].user;
    struct user_context *c = (void *)&memory[CONTEXT];
    sleeps(0, 0);
    u->frame.rbx = 77;
    u->frame.rax = 88;
    u->frame.rflags |= 0x401; /* DF, CF */
    assert_int_equal(process_call_signal_send(&threads[0], 0, 3), 0);
    assert_true(takes(0, 3) && user_stack(u) == USER_BASE + CONTEXT && u->frame.rflags == 0x202);
    assert_true(c->frame.rbx == 77 && c->frame.rsp == STACK && c->frame.rip == USER_BASE && !(threads[0].look & 3));
    u->frame.rbx = u->frame.rax = 0;
    assert_int_equal(process_call_signal_return(&threads[0], USER_BASE + CONTEXT), 88);
    assert_true(u->frame.rbx == 77 && u->frame.rip == USER_BASE && u->frame.rsp == STACK && u->frame.rflags == 0x603);
    assert_int_equal(process_signal_take(&threads[0]), 0); /* no more */
    assert_true(u->frame.rip == USER_BASE);
}

static void test_one_at_a_time_and_the_lowest_first(void **state)
{
    sleeps(0, 0);
    for (unsigned i = 0; i < 2; i++)
        for (unsigned signal = 31; signal >= 29; signal -= 2)
            assert_int_equal(process_call_signal_send(&threads[1], 0, signal), 0);
    assert_true(takes(0, 29));
    assert_int_equal(process_call_signal_send(&threads[1], 0, 0), 0);
    assert_false(threads[0].look & PROCESS_SIGNAL);
    threads[0].user.frame.rip = USER_BASE;
    assert_int_equal(process_signal_take(&threads[0]), 0);
    assert_true(threads[0].user.frame.rip == USER_BASE);
    assert_int_equal(process_call_signal_return(&threads[0], 0), 0); /* it goes on as it is */
    assert_true(takes(0, 0));
    assert_int_equal(process_call_signal_return(&threads[0], 0), 0);
    assert_true(takes(0, 31));
    assert_int_equal(process_call_signal_return(&threads[0], 0), 0);
    assert_false(threads[0].look & PROCESS_SIGNAL);
}

static void test_a_thread_that_has_gone_on_can_be_in_a_signal_again(void **state)
{
    sleeps(0, 0);
    assert_int_equal(process_call_signal_send(&threads[0], 0, 3), 0);
    assert_true(takes(0, 3));
    assert_int_equal(process_call_signal_return(&threads[0], 0), 0);
    assert_int_equal(process_call_signal_return(&threads[0], 1), 0); /* without a context to read */
    assert_int_equal(process_call_signal_send(&threads[0], 0, 5), 0);
    assert_false(threads[0].look & PROCESS_SIGNAL);
    assert_int_equal(process_call_signal_return(&threads[0], USER_BASE + CONTEXT), 0);
    assert_true(takes(0, 5));
    assert_int_equal(process_call_signal_return(&threads[0], 0), 0);
    assert_int_equal(process_call_signal_send(&threads[0], 0, 7), 0); /* it has come, and is not taken yet */
    assert_int_equal(process_call_signal_return(&threads[0], 1), 0);
    threads[0].user.frame.rip = USER_BASE;
    assert_int_equal(process_signal_take(&threads[0]), 0);
    assert_true(threads[0].user.frame.rip == USER_BASE);
    assert_int_equal(process_call_signal_return(&threads[0], 0), 0);
    assert_true(takes(0, 7));
}

static void test_what_is_refused(void **state)
{
    sleeps(0, 0);
    assert_int_equal(process_call_signal_send(&threads[0], 3, 1), -ENOENT); /* it does not run */
    assert_int_equal(process_call_signal_send(&threads[0], 4, 1), -ENOENT);
    assert_int_equal(process_call_signal_entry(&threads[0], USER_BASE - 1), -EINVAL);
    assert_int_equal(process_call_signal_entry(&threads[0], USER_END), -EINVAL);
    process.signal_entry = 0;
    assert_int_equal(process_call_signal_send(&threads[0], 0, 1), -EAGAIN);
    assert_int_equal(process_call_alarm(&threads[0], 1), -EAGAIN);
    assert_int_equal(process_call_signal_entry(&threads[0], USER_BASE), 0);
    assert_int_equal(process_call_signal_send(&threads[0], 0, 1), 0);
    assert_int_equal(process.signal_entry, USER_BASE);
}

static void test_a_stack_that_cannot_be_written_is_named(void **state)
{
    sleeps(0, 0);
    const u64 bad[] = { USER_BASE + 100, 0, 1, USER_END + 4096, ~0ull };
    for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        threads[0].handles = false;
        threads[0].user.frame.rsp = bad[i];
        assert_int_equal(process_call_signal_send(&threads[0], 0, 1), 0);
        assert_int_equal(process_signal_take(&threads[0]), (bad[i] - 128 - 176) & ~15ull);
    }
    threads[0].handles = false;
    threads[0].user.frame.rsp = STACK;
    writable = false;
    assert_int_equal(process_call_signal_send(&threads[0], 0, 1), 0);
    assert_int_equal(process_signal_take(&threads[0]), USER_BASE + CONTEXT);
    assert_true(threads[0].user.frame.rip == USER_BASE);
}

static void test_a_context_gives_a_program_nothing_that_it_has_not(void **state)
{
    struct user *u = &threads[0].user;
    struct user_context *c = (void *)memory;
    const struct user before = *u;
    const u64 bad[] = { 0, USER_BASE - 1, USER_END, 0x800000000000, 0xffff800000000000, ~0ull };
    sleeps(0, 0);
    threads[0].handles = true;
    assert_int_equal(process_call_signal_return(&threads[0], USER_BASE + 4096 - 175), -EFAULT);
    assert_int_equal(process_call_signal_return(&threads[0], 8), -EFAULT);
    memset(memory, 0xff, sizeof(memory));
    for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        c->frame.rip = bad[i];
        assert_int_equal(process_call_signal_return(&threads[0], USER_BASE), -EINVAL);
        assert_true(threads[0].handles && !memcmp(&before, u, sizeof(before)));
    }
    c->frame.rip = USER_END - 1;
    assert_int_equal(process_call_signal_return(&threads[0], USER_BASE), -1); /* what is in RAX */
    assert_true(u->frame.cs == before.frame.cs && u->frame.ss == before.frame.ss);
    assert_int_equal(u->frame.rflags, 0x240fd7); /* no IOPL, NT, RF, VM, VIF, VIP; but IF */
    assert_int_equal(u->frame.vector, 0);        /* by IRET: SYSRET would lose RCX */
    memset(memory, 0, sizeof(memory));
    c->frame.rip = USER_BASE;
    assert_int_equal(process_call_signal_return(&threads[0], USER_BASE), 0);
    assert_int_equal(u->frame.rflags, 0x202);
}

static void test_a_signal_ends_a_wait_and_one_for_a_page_does_not(void **state)
{
    sleeps(0, WORD);
    sleeps(1, USER_BASE + 1);
    sleeps(2, PROCESS_FAULT_LAST);
    host_on(0);
    unsigned before = host_ipis_to[1];
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(process_call_signal_send(&threads[0], i, 1), 0);
    assert_int_equal(host_ipis_to[threads[1].thread->cpu], before + 1);
    host_settle();
    assert_true(result[0] == -EINTR && result[1] == 1 && result[2] == 1);
    assert_true(threads[0].thread->signal && threads[1].thread->signal); /* what kernel/cluster and kernel/mail see */
    for (unsigned i = 1; i < 3; i++)
        process_waiter_end(&threads[i], 0);
    host_settle();
    assert_true(result[1] == 0 && result[2] == 0 && list_empty(&process.waiters));
    assert_true(takes(0, 1) && takes(1, 1) && takes(2, 1));
    assert_false(threads[0].thread->signal || threads[1].thread->signal);
}

/* Send signal 5 a hundred times to thread 1, which is on core 1. Returns how often core 1 was interrupted. */
static unsigned flood(void)
{
    unsigned before = host_ipis_to[1];
    host_on(0);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(process_call_signal_send(&threads[0], 1, 5), 0);
    return host_ipis_to[1] - before;
}

static void test_a_thread_outside_of_its_window_is_not_rung(void **state)
{
    struct domain d = { .id = 0 };
    sched_group_init(&cpus[1]->sched, 1); /* group 0 has core 1 now */
    cpus[1]->sched.group_of[0] = 1;
    threads[1].thread = thread_create("t", 1, 8, nothing, &threads[1], &d, false);
    assert_int_equal(flood(), 0);
    assert_true(threads[1].look & PROCESS_SIGNAL && threads[1].thread->state == THREAD_READY);
}

static void test_a_thread_that_runs_is_rung_once_for_what_it_has_not_taken(void **state)
{
    sleeps(1, 0);
    threads[1].thread->state = THREAD_RUNNING;
    cpus[1]->sched.running = threads[1].thread;
    assert_int_equal(flood(), 1);
    assert_true(takes(1, 5));
    assert_int_equal(process_call_signal_return(&threads[1], 0), 0);
    assert_int_equal(flood(), 1);
    unsigned before = host_ipis_to[1];
    process_attend(&threads[1], PROCESS_LEAVES, &threads[1].thread->stop);
    process_attend(&threads[1], PROCESS_LEAVES, &threads[1].thread->stop);
    assert_int_equal(host_ipis_to[1], before + 1);
}

static void test_a_signal_that_comes_before_the_wait_ends_it_too(void **state)
{
    threads[0].exit_word = USER_BASE + 0x1001; /* a bell */
    threads[0].thread = thread_create("t", 0, 8, wait_body, &threads[0], NULL, false);
    assert_int_equal(process_call_signal_send(&threads[1], 0, 1), 0);
    thread_start(threads[0].thread);
    host_settle();
    assert_int_equal(result[0], -EINTR);
}

static void test_an_alarm_rings_once_and_not_early_and_is_taken_back(void **state)
{
    struct process_thread *t = &threads[0];
    sleeps(0, 0);
    host_on(0);
    ticks_t start = time_now();
    assert_int_equal(process_call_alarm(t, SECOND), 0);
    host_run(start + time_from_ns(SECOND / 4));
    u64 left = (u64)process_call_alarm(t, 2 * SECOND);
    assert_true(left > SECOND / 2 && left <= SECOND * 3 / 4);
    host_run(start + time_from_ns(SECOND * 2));
    assert_false(t->look & PROCESS_SIGNAL);
    host_run(start + time_from_ns(SECOND * 3));
    assert_true(takes(0, 14));
    assert_int_equal(process_call_alarm(t, ~0ull), 0);
    assert_true((u64)process_call_alarm(t, SECOND) > 1000 * SECOND);
    assert_true((u64)process_call_alarm(t, 0) <= SECOND);
    host_run(start + time_from_ns(SECOND * 9));
    assert_int_equal(t->pending, 0);
}

/* 0 would say that it has rung. */
static void test_an_alarm_that_is_due_and_has_not_rung_was_there(void **state)
{
    struct process_thread *t = &threads[0];
    sleeps(0, 0);
    host_on(0);
    process_call_alarm(t, SECOND);
    t->alarm.deadline = time_now(); /* interrupts are off behind that: it does not ring */
    assert_true((u64)process_call_alarm(t, 0) > 0);
    host_run(time_now() + time_from_ns(SECOND * 2));
    assert_int_equal(t->pending, 0);
    assert_int_equal(process_call_alarm(t, 0), 0);
}

static void test_nothing_of_a_thread_comes_to_the_next_one(void **state)
{
    struct process_thread *t = &threads[0];
    sleeps(0, 0);
    host_on(0);
    process_call_alarm(t, SECOND);
    assert_true(t->look & PROCESS_SIGNALS); /* so that its end looks */
    process_call_signal_send(t, 0, 1);
    process_call_signal_send(t, 0, 2);
    assert_true(takes(0, 1));
    process_call_signal_return(t, 0);
    assert_true(t->thread->signal);
    process_attend(t, PROCESS_LEAVES, &t->thread->stop);
    process_signals_end(t);
    assert_true(!t->pending && !t->handles && t->look == PROCESS_LEAVES && !t->alarm.armed && !t->thread->signal);
    t->state = PROCESS_FREE;
    timer_arm(&t->alarm, time_after(SECOND)); /* it was ringing meanwhile */
    host_run(time_after(2 * SECOND));
    assert_true(!t->pending);
    process_signals_begin(t);
    assert_int_equal(t->look, 0);
}

static struct thread *watched; /* alone on a page that cannot be written */
static const void *first_written;
static u32 look_then;

static void at_first_write(int number, siginfo_t *info, void *context)
{
    first_written = info->si_addr;
    look_then = threads[0].look;
    assert_int_equal(mprotect(watched, 4096, PROT_READ | PROT_WRITE), 0);
}

/* The record of the first thread's kernel thread is such a page. */
static void watch(void)
{
    struct sigaction action = { .sa_sigaction = at_first_write, .sa_flags = SA_SIGINFO };
    assert_int_equal(sigaction(SIGSEGV, &action, NULL), 0);
    watched = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(watched != MAP_FAILED && sizeof(*watched) <= 4096);
    sleeps(0, 0);
    *watched = (struct thread){ .cpu = threads[0].thread->cpu, .rq = threads[0].thread->rq, .prio = 8, .least = 8 };
    threads[0].thread = watched;
    assert_int_equal(mprotect(watched, 4096, PROT_READ), 0);
}

/* Else it would return from its wait to the program, with an error that no program is to see. */
static void test_a_thread_finds_that_it_has_to_end_before_its_waits_do(void **state)
{
    watch();
    process_thread_leave(&threads[0], 8);
    assert_true(first_written == &watched->stop && look_then & PROCESS_LEAVES && watched->stop);
    munmap(watched, 4096);
}

static void test_a_thread_finds_its_signal_before_its_waits_end_for_it(void **state)
{
    watch();
    assert_int_equal(process_call_signal_send(&threads[1], 0, 3), 0);
    assert_true(first_written == &watched->signal && look_then & PROCESS_SIGNAL && watched->signal);
    munmap(watched, 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_the_context_lies_below_the_red_zone_and_comes_back, begin),
        cmocka_unit_test_setup(test_one_at_a_time_and_the_lowest_first, begin),
        cmocka_unit_test_setup(test_a_thread_that_has_gone_on_can_be_in_a_signal_again, begin),
        cmocka_unit_test_setup(test_what_is_refused, begin),
        cmocka_unit_test_setup(test_a_stack_that_cannot_be_written_is_named, begin),
        cmocka_unit_test_setup(test_a_context_gives_a_program_nothing_that_it_has_not, begin),
        cmocka_unit_test_setup(test_a_signal_ends_a_wait_and_one_for_a_page_does_not, begin),
        cmocka_unit_test_setup(test_a_thread_outside_of_its_window_is_not_rung, begin),
        cmocka_unit_test_setup(test_a_thread_that_runs_is_rung_once_for_what_it_has_not_taken, begin),
        cmocka_unit_test_setup(test_a_signal_that_comes_before_the_wait_ends_it_too, begin),
        cmocka_unit_test_setup(test_an_alarm_rings_once_and_not_early_and_is_taken_back, begin),
        cmocka_unit_test_setup(test_an_alarm_that_is_due_and_has_not_rung_was_there, begin),
        cmocka_unit_test_setup(test_nothing_of_a_thread_comes_to_the_next_one, begin),
        cmocka_unit_test_setup(test_a_thread_finds_that_it_has_to_end_before_its_waits_do, begin),
        cmocka_unit_test_setup(test_a_thread_finds_its_signal_before_its_waits_end_for_it, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
