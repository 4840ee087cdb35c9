/* SPDX-License-Identifier: MIT */
/* The channel shared with Linux, whose words may be anything: what comes in is taken in pieces that cost little. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <arch/apic.h>
#include <arch/boot.h>
#include <board/linux.h>
#include <core/console.h>
#include <core/cpu.h>
#include <core/timer.h>
#include <hal/memory.h>
#include <hal/upcalls.h>

#define PIECE 16 /* no more than an interrupt may cost */

static struct cpuid_regs answer(u32 leaf, u32 sub) { return (struct cpuid_regs){ 0 }; }
struct cpuid_regs (*host_cpuid)(u32 leaf, u32 sub) = answer;
u64 host_cr4, written_pat, written_vm_cr, time_hz;
struct cpu *host_this_cpu;
bool host_irq_on, cpus_stopping;
ticks_t host_now = 1000;

static struct attach_shared shared __attribute__((aligned(4096)));
static struct timer *timer;
static unsigned got;
static u8 last;

ticks_t time_from_ns(u64 ns) { return ns; }
u64 time_to_ns(ticks_t t) { return t; }
static unsigned rung; /* NMIs to Linux */
void apic_icr(u32 dest, u32 command) { rung++; }
void timer_init(struct timer *t, void (*fn)(void *), void *arg) { *t = (struct timer){ .fn = fn, .arg = arg }; }
void timer_arm(struct timer *t, ticks_t deadline)
{
    timer = t;
    t->deadline = deadline;
    t->armed = true;
}

/* As core/console.c does; somebody else's output may ask for its interrupts meanwhile. */
void core_irq_console(unsigned port)
{
    hal_console_irqs(port, 0);
    for (int c = hal_console_getc(port); c >= 0 && got < 1000000; c = hal_console_getc(port)) {
        last = (u8)c;
        got++;
    }
    hal_console_irqs(port, CONSOLE_IRQ_RX | CONSOLE_IRQ_TX);
    hal_console_irqs(port, CONSOLE_IRQ_RX);
}

static int setup(void **state)
{
    struct attach_boot boot = { .shared = (u64)&shared - (u64)phys_to_virt(0), .shared_size = sizeof(shared) };
    shared.in.head = shared.in.tail;
    static struct cpu core;
    host_this_cpu = &core;
    core.id = 0;
    shared.out.tail = shared.out.head;
    shared.bell = 0;
    host_now += 1000000;
    timer = NULL;
    got = rung = 0;
    board_linux_init(&boot);
    board_linux_attached();
    return 0;
}

static void says(const char *text)
{
    for (; *text; text++)
        shared.in_bytes[shared.in.head++ % ATTACH_IN_SIZE] = (u8)*text;
}

static void a_line_comes_at_once(void **state)
{
    says("list\n");
    core_irq_console(1);
    assert_int_equal(got, 5);
    assert_int_equal(last, '\n');
    assert_int_equal(shared.in.tail, shared.in.head);
    assert_null(timer);
}

static void expire(void)
{
    struct timer *t = timer;
    assert_non_null(t);
    assert_in_range(t->deadline - host_now, 100000,
                    200000); /* ns: a small part of the core's time, and fast enough for a person */
    host_now = t->deadline;
    timer = NULL;
    t->armed = false;
    t->fn(t->arg);
}

static void more_than_a_piece_goes_on_a_little_later(void **state)
{
    for (unsigned i = 0; i < 612; i++)
        says("x");
    says("\n");
    core_irq_console(1);
    assert_int_equal(got, PIECE);
    while (timer)
        expire();
    assert_int_equal(got, 613);
    assert_int_equal(last, '\n');
}

static void a_head_that_runs_away_holds_nobody_up(void **state)
{
    shared.in.head = shared.in.tail - 1; /* four thousand million bytes */
    core_irq_console(1);
    assert_in_range(got, 1, PIECE);
    core_irq_console(1); /* nor does ringing again before it is time */
    assert_in_range(got, 1, PIECE);
    for (unsigned i = 0; i < 10; i++)
        expire();
    assert_in_range(got, 1, 11 * PIECE);
}

/* A guest prints a character at a time, and Linux looks at each. */
static void put(unsigned n, unsigned ns)
{
    for (unsigned i = 0; i < n; i++) {
        assert_int_equal(hal_console_put(1, (const u8 *)"x", 1), 1);
        shared.out.tail = shared.out.head;
        shared.bell = 0;
        host_now += ns;
        if (timer && host_now >= timer->deadline) {
            struct timer *t = timer;
            timer = NULL;
            t->armed = false;
            t->fn(t->arg);
        }
    }
}

static void output_rings_linux_at_most_once_in_100_us(void **state)
{
    put(1, 0);
    assert_true(rung == 1 && !timer); /* the first one at once */
    put(10000, 1000);
    assert_in_range(rung, 50, 101);
    unsigned so_far = rung;
    hal_console_put(1, (const u8 *)"y", 1); /* the last one is not lost */
    if (timer) {
        expire();
        assert_int_equal(rung, so_far + 1);
    }
    assert_true(rung > so_far);
}

static void what_a_leaving_core_owes_is_rung(void **state)
{
    put(2, 0);
    assert_true(rung == 1 && timer);
    timer = NULL; /* cancelled, as all of the core's */
    board_linux_core_leaves();
    assert_int_equal(rung, 2);
    board_linux_core_leaves();
    assert_int_equal(rung, 2);
}

static void linuxs_own_cpu_and_a_panic_do_not_wait(void **state)
{
    put(1, 0);
    host_this_cpu->id = MAX_CPUS; /* it has no timers */
    put(1, 0);
    assert_true(rung == 2 && !timer);
    host_this_cpu->id = 0;
    cpus_stopping = true;
    put(1, 0);
    assert_true(rung == 3 && !timer);
    cpus_stopping = false;
    shared.dead = 0;
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        T(a_line_comes_at_once),
        T(more_than_a_piece_goes_on_a_little_later),
        T(output_rings_linux_at_most_once_in_100_us),
        T(what_a_leaving_core_owes_is_rung),
        T(linuxs_own_cpu_and_a_panic_do_not_wait),
        T(a_head_that_runs_away_holds_nobody_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
