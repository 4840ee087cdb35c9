/* SPDX-License-Identifier: MIT */
/* A kernel begins on a core where another one was reset: what was sent to that one does not reach it, and what is sent
 * to it does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <board/scc.h>
#include <boot_info.h>
#include <core/init.h>
#include <core/thread.h>
#include <errors.h>
#include <hal/time.h>
#include <hal/upcalls.h>
#include <mail/mail.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ME    5u
#define OTHER 0u

bool host_irq_on = true;
u64 host_now = 1;
struct boot_info boot_info;
static unsigned bells[SCC_CORES], served;
static struct thread thread;

u64 time_from_ns(u64 ns) { return ns; }
void panic(const char *fmt, ...) { abort(); }
void printk(const char *fmt, ...) {}
void scc_interrupt(unsigned core) { bells[core]++; }
struct thread *thread_self(void) { return &thread; }
void thread_wake_here(struct thread *t) {}
static void (*while_blocked)(void);
static u64 slept; /* for which the last one that blocked wanted to */
int thread_block(ticks_t deadline)
{
    slept = deadline - host_now;
    host_now += 100000000;
    while_blocked();
    return 0;
}
static void serve(const struct mail *m) { served++; }

static void begin(u32 life)
{
    scc_core = ME;
    scc_life = life;
    for (const init_call *call = __initcalls_start; call < __initcalls_end; call++)
        (*call)();
    mail_serve(serve);
}

/* The same, and core OTHER's kernel, which sends, goes on: its call is send.c's, the last one. */
static void begin_alone(u32 life)
{
    scc_life = life;
    for (const init_call *call = __initcalls_start; call < __initcalls_end - 1; call++)
        (*call)();
}

static void ask(int want)
{
    scc_core = OTHER;
    assert_int_equal(mail_request(ME, "page", 4), want);
    scc_core = ME;
}

static void send(const char *text)
{
    scc_core = OTHER;
    assert_int_equal(mail_send(ME, text, (unsigned)strlen(text)), 0);
    scc_core = ME;
}

static void comes(const char *text)
{
    struct mail m;
    assert_int_equal(mail_receive(&m), 0);
    assert_int_equal(m.bytes, strlen(text));
    assert_memory_equal(m.data, text, m.bytes);
}

static void nothing_comes(void)
{
    struct mail m;
    assert_int_equal(mail_receive(&m), -EAGAIN);
}

static int setup(void **state)
{
    memset(scc_shared(), 0, SCC_MPB - SCC_SHARED + SCC_CORES * SCC_MPB_SIZE);
    memset(bells, 0, sizeof(bells));
    served = 0;
    scc_shared()->up[OTHER] = 1;
    begin(3);
    return 0;
}

static int group_setup(void **state)
{
    size_t size = SCC_MPB - SCC_SHARED + SCC_CORES * SCC_MPB_SIZE;
    void *at = mmap((void *)SCC_SHARED, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
                    -1, 0);
    return at == (void *)SCC_SHARED ? 0 : -1;
}

static void it_says_which_life_it_is(void **state)
{
    assert_int_equal(scc_up(ME), 3);
    scc_shared()->up[ME] += SCC_FOUND_DEAD;
    scc_shared()->beat[ME] = 77;
    scc_shared()->off[ME] = 1;
    begin(4);
    assert_int_equal(scc_up(ME), 4);
    assert_int_equal(scc_shared()->beat[ME] | scc_shared()->off[ME], 0);
}

/* Its ring went with the core. */
static void a_request_that_a_former_life_did_not_take_holds_up_no_later_one(void **state)
{
    ask(0);
    ask(-EAGAIN);
    begin(4);
    memset(bells, 0, sizeof(bells));
    ask(0);
    assert_int_equal(bells[ME], 1);
    mail_rang();
    assert_int_equal(served, 1);
}

/* Whichever of its sender's two lines is the next one, for its sender and for this one. */
static void no_mail_to_a_former_life_reaches_the_next(void **state)
{
    u32 life = 3;
    for (unsigned n = 0; n <= MAIL_SLOTS; n++)
        for (unsigned i = 0; i < 4; i++) {
            for (unsigned old = 0; old < n; old++)
                send("old");
            scc_shared()->next[ME][OTHER] ^= i & 1; /* the former life ended before it had said which it takes next */
            begin_alone(++life);
            nothing_comes();
            send("new"); /* both, before it looks: in their order */
            send("newer");
            comes("new");
            comes("newer");
            nothing_comes();
        }
}

static void begin_next(void)
{
    assert_int_equal(scc_up(ME), 3);
    begin(4);
    scc_core = OTHER;
}

/* No interrupt tells the sender, so it looks now and then; and that its line is free is no answer of the one before. */
static void who_waits_for_an_answer_of_a_former_life_gets_an_error(void **state)
{
    while_blocked = begin_next;
    scc_core = OTHER;
    assert_int_equal(mail_send_sync(ME, "sync", 4, MAIL_INTERRUPT, host_now + 3600000000000ull), -ENODEV);
    assert_in_range(slept, 1, 1000000000);
    struct mail m;
    scc_core = ME;
    assert_int_equal(mail_receive(&m), -EAGAIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(it_says_which_life_it_is, setup),
        cmocka_unit_test_setup(a_request_that_a_former_life_did_not_take_holds_up_no_later_one, setup),
        cmocka_unit_test_setup(no_mail_to_a_former_life_reaches_the_next, setup),
        cmocka_unit_test_setup(who_waits_for_an_answer_of_a_former_life_gets_an_error, setup),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
