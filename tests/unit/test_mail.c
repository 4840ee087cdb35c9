/* SPDX-License-Identifier: MIT */
/* Messages between kernels: order, origin, room, waits, and other kernels that write rubbish. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <board/scc.h>
#include <core/init.h>
#include <core/thread.h>
#include <errors.h>
#include <hal/time.h>
#include <hal/upcalls.h>
#include <mail/mail.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>

unsigned scc_core;
bool host_irq_on = true;
u64 host_now = 1;
static unsigned bells[SCC_CORES], blocks, wakes;
static struct thread thread;
static void (*while_blocked)(void);

u64 time_from_ns(u64 ns) { return ns; }
void scc_interrupt(unsigned core) { bells[core]++; }
struct thread *thread_self(void) { return &thread; }
void thread_wake_here(struct thread *t)
{
    assert_ptr_equal(t, &thread);
    wakes++;
}

int thread_block(ticks_t deadline)
{
    assert_true(++blocks < 100);
    if (while_blocked)
        while_blocked();
    return 0;
}

static void send_as(unsigned core, unsigned to, const char *text, int want)
{
    unsigned here = scc_core;
    scc_core = core;
    assert_int_equal(mail_send(to, text, (unsigned)strlen(text)), want);
    scc_core = here;
}

static void comes(unsigned from, const char *text)
{
    struct mail m;
    assert_int_equal(mail_receive(&m), 0);
    assert_int_equal(m.from, from);
    assert_int_equal(m.bytes, strlen(text));
    assert_memory_equal(m.data, text, m.bytes);
}

static void nothing_comes(void)
{
    struct mail m;
    assert_int_equal(mail_receive(&m), -EAGAIN);
}

/* Start the mail of core 2. */
static void start(void)
{
    scc_core = 2;
    for (const init_call *call = __initcalls_start; call < __initcalls_end; call++)
        (*call)();
}

static int group_setup(void **state)
{
    size_t size = SCC_MPB - SCC_SHARED + SCC_CORES * SCC_MPB_SIZE;
    void *at = mmap((void *)SCC_SHARED, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
                    -1, 0);
    for (unsigned core = 0; core < SCC_CORES && at == (void *)SCC_SHARED; core++)
        scc_shared()->up[core] = core == 40 ? 0 : SCC_MAGIC;
    if (at != (void *)SCC_SHARED)
        return -1;
    start();
    return 0;
}

static int setup(void **state)
{
    struct mail m;
    scc_core = 2;
    while (!mail_receive(&m))
        ;
    memset(bells, 0, sizeof(bells));
    blocks = wakes = 0;
    while_blocked = NULL;
    return 0;
}

static void messages_of_one_sender_keep_their_order(void **state)
{
    for (unsigned i = 0; i < 5; i++) {
        send_as(7, 2, "first", 0);
        send_as(7, 2, "second, and as long as it can", -EINVAL);
        send_as(7, 2, "second, as long as it can be", 0);
        send_as(7, 2, "third", -EAGAIN);
        comes(7, "first");
        send_as(7, 2, "third", 0);
        comes(7, "second, as long as it can be");
        comes(7, "third");
        nothing_comes();
    }
}

static void senders_take_turns(void **state)
{
    for (unsigned i = 0; i < 2; i++)
        for (unsigned core = 45; core < 48; core++)
            send_as(core, 2, "x", 0);
    send_as(0, 2, "y", 0);
    static const u8 one[] = { 45, 46, 47, 0, 45, 46, 47 };
    u8 order[sizeof(one)];
    for (unsigned i = 0; i < sizeof(one); i++) {
        struct mail m;
        assert_int_equal(mail_receive(&m), 0);
        order[i] = m.from;
        for (unsigned back = 1; back < 4 && back <= i && i < 4; back++)
            assert_int_not_equal(order[i], order[i - back]); /* nobody twice before each had a turn */
    }
    nothing_comes();
}

static void what_cannot_be_sent_is_refused(void **state)
{
    char data[MAIL_BYTES + 1] = { 0 };
    assert_int_equal(mail_send(SCC_CORES, data, 1), -EINVAL);
    assert_int_equal(mail_send(~0u, data, 1), -EINVAL);
    assert_int_equal(mail_send(3, data, 0), -EINVAL);
    assert_int_equal(mail_send(3, data, sizeof(data)), -EINVAL);
    assert_int_equal(mail_send(40, data, 1), -ENODEV);
}

static void only_who_sleeps_is_rung(void **state)
{
    send_as(9, 2, "a", 0);
    assert_int_equal(bells[2], 0);
    comes(9, "a");
}

static void arrive(void)
{
    assert_int_equal(scc_shared()->mail[2].sleeps, 1);
    if (blocks == 1) {
        mail_rang(); /* for something else: nobody is woken */
    } else if (blocks == 2) {
        send_as(9, 2, "late", 0);
        assert_int_equal(bells[2], 1);
        mail_rang();
    }
}

static void a_sleeper_is_rung_and_takes_its_message(void **state)
{
    struct mail m;
    while_blocked = arrive;
    assert_int_equal(mail_await(&m, MAIL_INTERRUPT, TICKS_NEVER), 0);
    assert_int_equal(m.from, 9);
    assert_int_equal(blocks, 2);
    assert_int_equal(wakes, 1);
    assert_int_equal(scc_shared()->mail[2].sleeps, 0);
    mail_rang(); /* nobody sleeps */
    assert_int_equal(wakes, 1);
}

static void what_is_there_needs_no_sleep(void **state)
{
    for (enum mail_wait how = MAIL_POLL; how <= MAIL_ADAPTIVE; how++) {
        struct mail m;
        send_as(9, 2, "there", 0);
        assert_int_equal(mail_await(&m, how, TICKS_NEVER), 0);
        assert_int_equal(blocks, 0);
    }
}

static void a_wait_ends_when_its_thread_is_asked_to_end(void **state)
{
    struct mail m;
    thread.stop = true;
    for (enum mail_wait how = MAIL_POLL; how <= MAIL_ADAPTIVE; how++)
        assert_int_equal(mail_await(&m, how, TICKS_NEVER), -ECANCELED);
    thread.stop = false;
}

static void get_signal(void)
{
    if (blocks == 2)
        thread.signal = true;
}

/* Who waits sleeps until a wake-up and looks then; a message that is there is taken first. */
static void a_wait_ends_when_its_program_has_a_signal(void **state)
{
    struct mail m;
    while_blocked = get_signal;
    assert_int_equal(mail_await(&m, MAIL_INTERRUPT, TICKS_NEVER), -EINTR);
    assert_int_equal(blocks, 2);
    assert_int_equal(scc_shared()->mail[2].sleeps, 0);
    for (enum mail_wait how = MAIL_POLL; how <= MAIL_ADAPTIVE; how++) {
        send_as(9, 2, "there", 0);
        send_as(9, 2, "and there", 0);
        assert_int_equal(mail_await(&m, how, TICKS_NEVER), 0);
        assert_int_equal(mail_await(&m, how, TICKS_NEVER), 0);
        assert_int_equal(mail_await(&m, how, TICKS_NEVER), -EINTR);
    }
    thread.signal = false;
}

static void a_wait_ends_at_its_deadline(void **state)
{
    struct mail m;
    assert_int_equal(mail_await(&m, MAIL_POLL, 0), -ETIMEDOUT);
    assert_int_equal(mail_await(&m, MAIL_INTERRUPT, 0), -ETIMEDOUT);
    assert_int_equal(mail_await(&m, MAIL_ADAPTIVE, 0), -ETIMEDOUT);
    assert_int_equal(scc_shared()->mail[2].sleeps, 0);
}

/* Any bytes in the buffer and in the words of senders: no message beyond its size, no loop without end, and afterwards
 * mail works. */
static void rubbish_is_dropped(void **state)
{
    u8 *mpb = scc_mpb(2);
    srandom(1);
    for (unsigned round = 0; round < 2000; round++) {
        for (unsigned i = 0; i < SCC_MPB_SIZE; i++)
            mpb[i] = (u8)(random() >> 8);
        if (round % 2) /* words that look right, but for the number of bytes */
            for (unsigned i = 0; i < SCC_CORES * MAIL_SLOTS; i++)
                ((u32 *)mpb)[8 * i + 7] = 0x4d610000u | (u32)(random() % 1024);
        for (unsigned i = 0; i < 2; i++)
            scc_shared()->mail[2].from[i] = scc_shared()->mail[2].taken[i] = (u32)random() << 1;
        for (unsigned from = 0; from < SCC_CORES; from++)
            scc_shared()->next[2][from] = (u8)random();
        mail_rang(); /* nobody waits for what is taken */
        struct mail m;
        unsigned n = 0;
        while (!mail_receive(&m)) {
            assert_in_range(m.bytes, 1, MAIL_BYTES);
            assert_in_range(m.from, 0, SCC_CORES - 1);
            assert_true(++n <= SCC_CORES * MAIL_SLOTS);
        }
    }
    assert_true(mail_dropped() > 0);
    memset(mpb, 0, SCC_MPB_SIZE);
    send_as(9, 2, "after", 0);
    comes(9, "after");
}

/* A bit without a message: the sender's bit comes after its message was taken. */
static void a_late_bit_does_not_change_the_order(void **state)
{
    for (unsigned i = 0; i < 3; i++) {
        scc_shared()->mail[2].from[0] |= 1u << 7;
        nothing_comes();
        send_as(7, 2, "first", 0);
        send_as(7, 2, "second", 0);
        comes(7, "first");
        comes(7, "second");
    }
}

static void waits_for(unsigned from)
{
    struct mail m;
    assert_int_equal(mail_await(&m, MAIL_POLL, TICKS_NEVER), 0);
    assert_int_equal(m.from, from);
}

static void who_was_heard_last_keeps_nobody_waiting(void **state)
{
    send_as(9, 2, "a", 0);
    waits_for(9);
    send_as(9, 2, "b", 0);
    waits_for(9); /* its bit stays */
    send_as(9, 2, "c", 0);
    send_as(3, 2, "d", 0);
    struct mail m;
    bool others = false;
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(mail_await(&m, MAIL_POLL, TICKS_NEVER), 0);
        others |= m.from == 3;
        send_as(9, 2, "e", 0); /* more and more of it */
    }
    assert_true(others);
    waits_for(9);
    waits_for(9);
    nothing_comes();
}

static void a_restart_does_not_change_the_order(void **state)
{
    send_as(2, 2, "odd", 0);
    comes(2, "odd");
    for (unsigned i = 0; i < 2; i++) {
        start();
        send_as(2, 2, "first", 0);
        send_as(2, 2, "second", 0);
        comes(2, "first");
        comes(2, "second");
        send_as(2, 2, "left", 0);
        start();
        send_as(2, 2, "new", 0);
        comes(2, "left");
        comes(2, "new");
        nothing_comes();
        send_as(2, 2, "odd", 0);
        comes(2, "odd");
    }
}

static void a_sender_that_begins_again_goes_on_behind_two_messages_that_wait(void **state)
{
    for (unsigned i = 0; i < 2; i++) {
        send_as(2, 2, "former", 0);
        send_as(2, 2, "former, last", 0);
        start();
        send_as(2, 2, "no room", -EAGAIN);
        comes(2, "former");
        comes(2, "former, last");
        send_as(2, 2, "first", 0);
        send_as(2, 2, "second", 0);
        comes(2, "first");
        comes(2, "second");
        nothing_comes();
        send_as(2, 2, "odd", 0);
        comes(2, "odd");
    }
}

static int send_sync(enum mail_wait how, ticks_t deadline)
{
    scc_core = 7;
    int err = mail_send_sync(2, "sync", 4, how, deadline);
    scc_core = 2;
    return err;
}

/* Receive as core 2 while core 7 waits. */
static void receive_meanwhile(void)
{
    scc_core = 2;
    comes(7, "sync");
    scc_core = 7;
}

static void take_and_ring(void)
{
    if (blocks == 1) {
        mail_rang(); /* for something else */
        assert_int_equal(wakes, 0);
    } else {
        receive_meanwhile();
        assert_int_equal(bells[7], 1);
        mail_rang();
        assert_int_equal(wakes, 1);
    }
}

static void a_synchronous_send_sleeps_until_its_message_is_taken(void **state)
{
    for (unsigned i = 0; i < 3; i++) {
        setup(state);
        while_blocked = take_and_ring;
        assert_int_equal(send_sync(i % 2 ? MAIL_ADAPTIVE : MAIL_INTERRUPT, host_now + 1000), 0);
        assert_int_equal(blocks, 2);
        scc_core = 7;
        scc_shared()->mail[7].taken[0] = ~0u;
        mail_rang(); /* nobody waits any more */
        assert_int_equal(wakes, 1);
    }
}

static void taken(int number) { receive_meanwhile(); }

static void a_synchronous_send_polls_until_its_message_is_taken(void **state)
{
    struct itimerval soon = { .it_value.tv_usec = 20000 };
    signal(SIGALRM, taken);
    setitimer(ITIMER_REAL, &soon, NULL);
    assert_int_equal(send_sync(MAIL_POLL, host_now + 1000), 0);
    assert_int_equal(blocks + bells[7], 0);
    nothing_comes();
}

static void pass_time(void) { host_now += 1000; }

static void a_receiver_that_takes_nothing_is_an_error(void **state)
{
    while_blocked = pass_time;
    assert_int_equal(send_sync(MAIL_INTERRUPT, host_now + 1500), -ETIMEDOUT);
    assert_int_equal(send_sync(MAIL_POLL, host_now), -ETIMEDOUT);
    assert_int_equal(send_sync(MAIL_INTERRUPT, host_now + 1500), -EAGAIN); /* no room */
    receive_meanwhile();
    scc_core = 2;
    comes(7, "sync");
    nothing_comes();
    assert_int_equal(send_sync(MAIL_POLL, TICKS_NEVER), -EINVAL);
    assert_int_equal(mail_send_sync(3, "x", 0, MAIL_POLL, host_now), -EINVAL);
    assert_int_equal(mail_send_sync(40, "x", 1, MAIL_POLL, host_now), -ENODEV);
    nothing_comes();
}

static void end_kernel(void) { scc_shared()->up[2] = 0; }

static void a_synchronous_send_ends_with_its_receivers_kernel_or_its_thread(void **state)
{
    while_blocked = end_kernel;
    assert_int_equal(send_sync(MAIL_INTERRUPT, host_now + 1000), -ENODEV);
    scc_shared()->up[2] = SCC_MAGIC;
    comes(7, "sync");
    thread.stop = true;
    assert_int_equal(send_sync(MAIL_POLL, host_now + 1000), -ECANCELED);
    thread.stop = false;
    comes(7, "sync");
}

static void a_signal_ends_a_synchronous_send_only_while_there_is_no_room(void **state)
{
    thread.signal = true;
    while_blocked = pass_time;
    for (unsigned i = 0; i < MAIL_SLOTS; i++)
        assert_int_equal(send_sync(MAIL_INTERRUPT, host_now + 1500), -ETIMEDOUT); /* sent */
    assert_int_equal(send_sync(MAIL_INTERRUPT, host_now + 1500), -EINTR);
    thread.signal = false;
    for (unsigned i = 0; i < MAIL_SLOTS; i++)
        comes(7, "sync");
    nothing_comes();
}

static void use_line_again(void)
{
    assert_int_equal(blocks, 1);
    receive_meanwhile(); /* its ring is late */
    assert_int_equal(mail_send(2, "other line", 10), 0);
    assert_int_equal(mail_send_sync(2, "same line", 9, MAIL_POLL, host_now), -ETIMEDOUT);
    assert_int_equal(wakes, 1);
}

static void who_waits_for_a_line_that_is_used_again_is_woken(void **state)
{
    while_blocked = use_line_again;
    assert_int_equal(send_sync(MAIL_INTERRUPT, host_now + 1000), 0);
    comes(7, "other line");
    comes(7, "same line");
}

static struct mail asked;
static unsigned n_asked;
static void serve(const struct mail *m)
{
    asked = *m;
    n_asked++;
}

static void ask_as(unsigned core, const char *text, int want)
{
    scc_core = core;
    assert_int_equal(mail_request(2, text, (unsigned)strlen(text)), want);
    scc_core = 2;
}

static void a_request_is_served_by_the_interrupt(void **state)
{
    n_asked = 0;
    ask_as(45, "lost", 0);
    mail_rang(); /* nobody serves requests yet */
    mail_serve(serve);
    ask_as(45, "page", 0);
    ask_as(45, "more", -EAGAIN);
    ask_as(3, "third", 0);
    assert_int_equal(bells[2], 3); /* whether it sleeps or not */
    nothing_comes();               /* no receiver sees them */
    mail_rang();
    assert_int_equal(n_asked, 2);
    assert_int_equal(asked.from, 45);
    assert_memory_equal(asked.data, "page", 4);
    mail_rang();
    assert_int_equal(n_asked, 2);
    assert_int_equal(mail_request(SCC_CORES, "x", 1), -EINVAL);
    assert_int_equal(mail_request(40, "x", 1), -ENODEV);
    assert_int_equal(mail_request(3, "x", 0), -EINVAL);
    assert_int_equal(mail_request(3, "x", MAIL_BYTES + 1), -EINVAL);
}

static void rubbish_requests_are_dropped(void **state)
{
    mail_serve(serve);
    srandom(2);
    u32 before = mail_dropped();
    for (unsigned round = 0; round < 500; round++) {
        for (unsigned from = 0; from < SCC_CORES; from++)
            for (unsigned i = 0; i < 32; i++)
                scc_shared()->request[2][from][i] = (u8)(random() >> 8);
        scc_shared()->mail[2].asked[0] = scc_shared()->mail[2].asked[1] = ~0u;
        n_asked = 0;
        mail_rang();
        assert_int_equal(n_asked, 0);
    }
    assert_int_equal(mail_dropped() - before, 500 * SCC_CORES);
    ask_as(45, "after", 0);
    mail_rang();
    assert_int_equal(n_asked, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(messages_of_one_sender_keep_their_order, setup),
        cmocka_unit_test_setup(senders_take_turns, setup),
        cmocka_unit_test_setup(what_cannot_be_sent_is_refused, setup),
        cmocka_unit_test_setup(only_who_sleeps_is_rung, setup),
        cmocka_unit_test_setup(a_sleeper_is_rung_and_takes_its_message, setup),
        cmocka_unit_test_setup(what_is_there_needs_no_sleep, setup),
        cmocka_unit_test_setup(a_wait_ends_when_its_thread_is_asked_to_end, setup),
        cmocka_unit_test_setup(a_wait_ends_when_its_program_has_a_signal, setup),
        cmocka_unit_test_setup(a_wait_ends_at_its_deadline, setup),
        cmocka_unit_test_setup(a_late_bit_does_not_change_the_order, setup),
        cmocka_unit_test_setup(who_was_heard_last_keeps_nobody_waiting, setup),
        cmocka_unit_test_setup(a_restart_does_not_change_the_order, setup),
        cmocka_unit_test_setup(a_sender_that_begins_again_goes_on_behind_two_messages_that_wait, setup),
        cmocka_unit_test_setup(a_synchronous_send_sleeps_until_its_message_is_taken, setup),
        cmocka_unit_test_setup(a_synchronous_send_polls_until_its_message_is_taken, setup),
        cmocka_unit_test_setup(a_receiver_that_takes_nothing_is_an_error, setup),
        cmocka_unit_test_setup(a_synchronous_send_ends_with_its_receivers_kernel_or_its_thread, setup),
        cmocka_unit_test_setup(a_signal_ends_a_synchronous_send_only_while_there_is_no_room, setup),
        cmocka_unit_test_setup(who_waits_for_a_line_that_is_used_again_is_woken, setup),
        cmocka_unit_test_setup(rubbish_is_dropped, setup),
        cmocka_unit_test_setup(a_request_is_served_by_the_interrupt, setup),
        cmocka_unit_test_setup(rubbish_requests_are_dropped, setup),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
