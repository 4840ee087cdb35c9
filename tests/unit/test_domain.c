/* SPDX-License-Identifier: MIT */
/* Domains live and end as the table says, whoever ends them; a fault costs its domain and nobody else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host.h"
#include "sample_system.h"
#include <core/channel.h>
#include <core/console.h>
#include <core/domain.h>
#include <core/init.h>
#include <core/log.h>
#include <core/monitor.h>
#include <errors.h>
#include <hal/upcalls.h>
#include <life.h>

static struct sample s;
static unsigned starts[SYS_MAX_DOMAINS];
static struct thread *threads[SYS_MAX_DOMAINS][2];
static int start_error;
static const char *start_why; /* NULL: it has no words for its error */
static u64 start_takes;       /* ns */
static bool elsewhere;        /* other kernels run it */

static bool stays; /* its threads do not leave when they are told to */
static unsigned kills;

static void vcpu(void *arg)
{
    struct domain *d = arg;
    struct thread *self = thread_self();
    while (!self->stop || stays)
        thread_block(TICKS_NEVER);
    domain_thread_gone(d);
}
static int create_error;
static int create(struct domain *d) { return d->id ? 0 : create_error; }
static int start(struct domain *d)
{
    if (start_takes)
        thread_sleep_ns(start_takes);
    if (elsewhere)
        return domain_elsewhere(d);
    if (start_error && start_why)
        strlcpy(d->reason, start_why, sizeof(d->reason));
    if (start_error)
        return start_error;
    for (unsigned i = 0; i < 2; i++)
        if (threads[d->id][i])
            thread_join(threads[d->id][i]);
    starts[d->id]++;
    d->live = 2;
    for (unsigned i = 0; i < 2; i++)
        thread_start(threads[d->id][i] = thread_create("vcpu", i, 8, vcpu, d, d, false));
    return 0;
}
static void kill(struct domain *d)
{
    kills++;
    for (unsigned i = 0; i < 2; i++) {
        threads[d->id][i]->stop = true;
        thread_wake(threads[d->id][i]);
    }
}
static u8 last_byte;
static void input(struct domain *d, u8 byte) { last_byte = byte; }
static const struct domain_ops ops = { .create = create, .start = start, .kill = kill, .input = input };

static void boot(void)
{
    host_boot(2);
    sample_make(&s);
    memset(starts, 0, sizeof(starts));
    memset(threads, 0, sizeof(threads));
    memset(domains, 0, sizeof(domains));
    s.domain[0].flags = SYS_AUTOSTART | SYS_POWER_BOARD | SYS_RESTART_ON_RESET;
    s.domain[1].flags = SYS_AUTOSTART | SYS_RESTART_ON_FAULT;
    system_table = &s.h;
    domain_register_kind(SYS_KIND_VM, &ops);
    domains_create();
    domains_start();
    host_settle();
}

static int setup(void **state)
{
    start_error = create_error = 0;
    start_why = NULL;
    start_takes = 0;
    elsewhere = stays = false;
    kills = 0;
    boot();
    host_clear_out();
    return 0;
}

static void domains_start_as_the_table_says(void **state)
{
    assert_int_equal(domains[0].state, DOMAIN_RUNNING);
    assert_int_equal(domains[1].state, DOMAIN_RUNNING);
    assert_int_equal(domains[2].state, DOMAIN_EMPTY); /* nobody implements its kind here */
    assert_int_equal(domain_start(&domains[0]), -EBUSY);
    assert_int_equal(domain_start(&domains[2]), -ENODEV);
    assert_ptr_equal(domain_find("rt"), &domains[1]);
    assert_null(domain_find("r"));
}

static void the_first_reason_stands(void **state)
{
    domain_end(&domains[0], END_TRIPLE_FAULT, "rip %x", 0x1234);
    domain_end(&domains[0], END_RESET, "later");
    assert_int_equal(domains[0].state, DOMAIN_STOPPING);
    host_settle();
    assert_int_equal(domains[0].state, DOMAIN_STOPPED);
    assert_int_equal(domains[0].end, END_TRIPLE_FAULT);
    assert_string_equal(domains[0].reason, "rip 1234");
    assert_int_equal(domains[1].state, DOMAIN_RUNNING);
}

static void a_reset_restarts_when_the_table_says_so(void **state)
{
    domain_end(&domains[0], END_RESET, "by port");
    host_settle();
    assert_int_equal(domains[0].state, DOMAIN_STOPPED); /* paced, as after a fault */
    host_run(host_now + 100000000);
    assert_int_equal(domains[0].state, DOMAIN_RUNNING);
    assert_int_equal(starts[0], 2);
    assert_int_equal(domains[0].restarts, 1);
    assert_false(host_powered_off);
    domain_end(&domains[1], END_RESET, "by port");
    host_settle();
    assert_int_equal(domains[1].state, DOMAIN_STOPPED);
}

static void restarts_after_faults_are_paced(void **state)
{
    domain_end(&domains[1], END_FAULT, "wild");
    host_settle();
    assert_int_equal(domains[1].state, DOMAIN_STOPPED);
    host_run(host_now + 100000000);
    assert_int_equal(domains[1].state, DOMAIN_RUNNING);
}

static void domains_that_fault_together_wait_together(void **state)
{
    domain_end(&domains[0], END_RESET, "by port");
    domain_end(&domains[1], END_FAULT, "wild");
    host_settle();
    assert_int_equal(domains[0].state, DOMAIN_STOPPED);
    assert_int_equal(domains[1].state, DOMAIN_STOPPED);
    host_run(host_now + 100000000);
    assert_int_equal(domains[0].state, DOMAIN_RUNNING);
    assert_int_equal(domains[1].state, DOMAIN_RUNNING);
}

static void stop_it(void *d) { assert_int_equal(domain_stop(d), 0); }
/* Just before the keeper takes a lock: the first one, after its pause, is the domain's. */
static void stop_then(void)
{
    if (strcmp(thread_self()->name, "keeper"))
        host_elsewhere = stop_then;
    else
        stop_it(&domains[0]);
}
static void stays_stopped(struct domain *d, unsigned lives)
{
    host_run(host_now + 300000000);
    assert_int_equal(d->state, DOMAIN_STOPPED);
    assert_int_equal(d->end, END_STOPPED);
    assert_int_equal(starts[d->id], lives);
}

static void a_stop_between_the_decision_to_restart_and_the_start_wins(void **state)
{
    domain_end(&domains[0], END_RESET, "by port");
    host_run(host_now + 99999999);
    assert_int_equal(domains[0].state, DOMAIN_STOPPED);
    host_elsewhere = stop_then;
    stays_stopped(&domains[0], 1);
    assert_null(host_elsewhere);
    assert_int_equal(domains[0].restarts, 0);
}

static void a_stop_during_a_start_wins(void **state)
{
    start_takes = 50000000;
    domain_end(&domains[0], END_RESET, "by port");
    host_run(host_now + 120000000);
    assert_int_equal(starts[0], 1); /* in its start */
    thread_start(thread_create("stop", 1, 31, stop_it, &domains[0], NULL, false));
    stays_stopped(&domains[0], 2);
}

static void the_board_goes_off_with_the_last_that_means_it(void **state)
{
    domain_end(&domains[1], END_POWER_OFF, "%s", "");
    host_settle();
    assert_false(host_powered_off);
    domain_end(&domains[0], END_POWER_OFF, "%s", "");
    host_settle();
    assert_true(host_powered_off);
}

/* The keeper pauses before each restart, one domain after the other. */
static void the_board_stays_on_while_a_domain_waits_for_its_restart(void **state)
{
    domain_end(&domains[1], END_FAULT, "wild");
    host_settle();
    host_run(host_now + 50000000);
    domain_end(&domains[0], END_RESET, "by port"); /* it is the one with `power: board` */
    host_run(host_now + 300000000);
    assert_false(host_powered_off);
    assert_int_equal(domains[0].state, DOMAIN_RUNNING);
    assert_int_equal(starts[0], 2);
    domain_end(&domains[0], END_POWER_OFF, "%s", "");
    host_settle();
    assert_true(host_powered_off);
}

static void a_failed_start_is_reported_and_can_be_repeated(void **state)
{
    domain_end(&domains[0], END_TRIPLE_FAULT, "x");
    host_settle();
    start_error = -ENOMEM;
    assert_int_equal(domain_start(&domains[0]), -ENOMEM);
    assert_int_equal(domains[0].state, DOMAIN_STOPPED);
    assert_int_equal(domains[0].end, END_UNSTARTED);
    assert_string_equal(domains[0].reason, "not enough memory");
    start_error = -ENOEXEC;
    assert_int_equal(domain_start(&domains[0]), -ENOEXEC);
    assert_string_equal(domains[0].reason, "error -8");
    start_error = 0;
    assert_int_equal(domain_start(&domains[0]), 0);
}

static void command(void *line) { monitor_execute(line); }
static void run_command(const char *text)
{
    static char line[80];
    strlcpy(line, text, sizeof(line));
    host_clear_out();
    console_focus(CONSOLE_KERNEL);
    thread_start(thread_create("monitor", 0, 31, command, line, NULL, false));
    host_settle();
}
static bool said(const char *part)
{
    for (const char *p = host_out[0]; *p; p++)
        if (!strncmp(p, part, strlen(part)))
            return true;
    return false;
}

static void a_start_that_is_refused_at_boot_ends_the_run_and_says_why(void **state)
{
    start_error = -ENOEXEC;
    start_why = "the kernel is not a bzImage";
    boot();
    assert_true(said("domain linux: could not start: the kernel is not a bzImage"));
    assert_true(said("power off"));
    assert_true(host_powered_off);
    host_run(host_now + 300000000);
    assert_int_equal(domains[1].restarts,
                     0); /* it would be refused again: that it is restarted on faults is no reason */
}

static void a_domain_that_cannot_be_created_ends_the_run(void **state)
{
    create_error = -ENOMEM;
    boot();
    assert_int_equal(domains[0].state, DOMAIN_EMPTY);
    assert_true(said("domain linux: could not start: not enough memory"));
    assert_true(said("power off"));
    assert_true(host_powered_off);
    run_command("list");
    assert_true(said("could not start: not enough memory"));
}

static void a_domain_of_other_kernels_ends_nothing_here(void **state)
{
    elsewhere = true;
    boot();
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(domains[i].state, DOMAIN_STOPPED);
        assert_int_equal(domains[i].end, END_STOPPED);
        assert_string_equal(domains[i].reason, "it runs on other cores");
    }
    assert_false(said("domain linux: ") || said("domain rt: "));
    assert_false(host_powered_off || said("power off"));
    host_run(host_now + 300000000);
    assert_int_equal(domains[1].restarts, 0);
    run_command("start linux"); /* again: it is no error */
    assert_true(said("ok"));
    assert_int_equal(domains[0].state, DOMAIN_STOPPED);
}

static void the_monitor_stops_starts_and_restarts(void **state)
{
    run_command("  stop   linux ");
    assert_int_equal(domains[0].state, DOMAIN_STOPPED);
    assert_int_equal(domains[0].end, END_STOPPED);
    assert_true(said("ok"));
    assert_false(host_powered_off); /* stopped by its operator */
    run_command("stop linux");
    assert_true(said("error: stop"));
    run_command("start linux");
    assert_int_equal(domains[0].state, DOMAIN_RUNNING);
    run_command("restart linux");
    assert_int_equal(domains[0].state, DOMAIN_RUNNING);
    assert_int_equal(starts[0], 3);
    run_command("list");
    assert_true(said(" 0 linux"));
    assert_true(said("unusable"));
}

static void the_console_waits_with_patience_for_threads_that_do_not_leave(void **state)
{
    stays = true;
    run_command("stop linux");
    host_run(host_now + 9900000000);
    assert_false(said("stop"));
    host_run(host_now + 200000000);
    assert_true(said("domain linux: its threads have not left for 10 s; it stops when they have"));
    assert_true(said("error: stop: -110"));
    run_command("start linux");
    host_run(host_now + 10100000000);
    assert_true(said("error: start: -16"));
    run_command("restart linux");
    host_run(host_now + 10100000000);
    assert_true(said("error: restart: -110"));
    stays = false;
    run_command("stop linux");
    assert_true(said("ok"));
    assert_int_equal(domains[0].state, DOMAIN_STOPPED);
    assert_int_equal(domains[0].restarts, 0);
}

/* It may have no time to end beside others, but what a stop gives it. */
static void a_domain_that_ends_by_itself_is_told_to_leave_again_by_a_stop(void **state)
{
    stays = true;
    domain_end(&domains[0], END_POWER_OFF, "%s", "");
    host_settle();
    assert_int_equal(kills, 1);
    stays = false;
    run_command("stop linux");
    assert_int_equal(kills, 2);
    assert_true(said("ok"));
    assert_int_equal(domains[0].end, END_POWER_OFF);
}

/* The thread "order" is held up for 1 ms just before its nth lock: others go on meanwhile. */
static unsigned held_up_at, order_locks;
static void hold_up(void)
{
    if (!strcmp(thread_self()->name, "order") && ++order_locks == held_up_at)
        thread_sleep_ns(1000000);
    host_elsewhere = hold_up;
}
static int answer;
static void order_stop(void *d) { answer = domain_stop(d); }
static void order(unsigned at)
{
    answer = 1;
    order_locks = 0;
    held_up_at = at;
    host_elsewhere = hold_up;
    thread_start(thread_create("order", 1, 31, order_stop, &domains[0], NULL, false));
}

static void a_stop_beside_the_keepers_restart_ends_it_and_says_so(void **state)
{
    unsigned at = 0;
    do {
        setup(NULL);
        start_takes = 500000;
        domain_end(&domains[0], END_RESET, "by port");
        host_run(host_now + 99900000); /* the restart is near */
        order(++at);
        host_run(host_now + 400000000);
        host_elsewhere = NULL;
        assert_int_equal(answer, 0);
        assert_int_equal(domains[0].state, DOMAIN_STOPPED);
        assert_int_equal(domains[0].end, END_STOPPED);
    } while (order_locks >= at);
    assert_true(at > 4);
}

/* Nobody waits any more when it has ended after all. */
static void a_stop_that_has_waited_in_vain_holds(void **state)
{
    stays = true;
    domain_end(&domains[0], END_RESET, "by port");
    order(0);
    host_run(host_now + 11000000000);
    assert_int_equal(answer, -ETIMEDOUT);
    stays = false;
    kill(&domains[0]);
    stays_stopped(&domains[0], 1);
}

static void start_and_fault(void *d)
{
    assert_int_equal(domain_start(d), 0);
    stays = true;
    domain_end(d, END_FAULT, "wild");
}
static void a_stop_waits_for_the_life_that_it_found_and_for_no_later_one(void **state)
{
    stays = true;
    domain_end(&domains[0], END_POWER_OFF, "%s", "");
    thread_start(thread_create("start", 0, 31, start_and_fault, &domains[0], NULL, false));
    host_settle();
    u32 life = domains[0].life;
    order(0);
    host_settle();
    assert_int_equal(answer, 1);
    stays = false;
    kill(&domains[0]);
    host_settle();
    assert_int_equal(domains[0].state, DOMAIN_STOPPING); /* the next one */
    assert_int_equal(domains[0].life, life_next(life));
    assert_int_equal(answer, 0);
}

static void each_start_begins_a_life_with_a_number_of_its_own(void **state)
{
    assert_int_equal(domains[0].life, 1);
    assert_int_equal(domain_start(&domains[0]), -EBUSY);
    assert_int_equal(domains[0].life, 1);
    domains[0].life = LIFE_MASK;
    run_command("restart linux");
    assert_int_equal(domains[0].life, 1);
    start_error = -ENOMEM;
    run_command("restart linux");
    assert_int_equal(domains[0].life, 2); /* who saw it begin does not meet its number again */
}

static void the_reason_of_an_end_is_the_first_unless_a_stop_cancels_a_restart(void **state)
{
    stays = true;
    domain_end(&domains[0], END_TRIPLE_FAULT, "rip 1234");
    order(0);
    host_settle();
    assert_int_equal(domains[0].end, END_TRIPLE_FAULT); /* nothing would restart it */
    assert_string_equal(domains[0].reason, "rip 1234");
    stays = false;
    kill(&domains[0]);
    host_settle();
    assert_int_equal(domains[0].end, END_TRIPLE_FAULT);
    assert_int_equal(domain_start(&domains[0]), 0);
    stays = true;
    domain_end(&domains[0], END_RESET, "by port");
    order(0);
    host_settle();
    assert_int_equal(domains[0].end, END_STOPPED);
    assert_string_equal(domains[0].reason, "by the control console");
}

static void the_monitor_says_what_would_be_right(void **state)
{
    run_command("frob");
    assert_true(said("no command \"frob\"; `help` lists them"));
    run_command("stop nobody");
    assert_true(said("no domain \"nobody\"; `list` shows them"));
    run_command("trace maybe");
    assert_true(said("say trace on, off or dump"));
    run_command("help");
    assert_true(said("restart"));
    run_command("#12 list");
    assert_true(said("ok#12\r\n"));
    run_command("#a frob");
    assert_true(said("no command \"frob\"; `help` lists them#a\r\n"));
    run_command(" #9  stop nobody ");
    assert_true(said("error: stop: -2#9\r\n"));
    run_command("#");
    assert_true(said("no command \"\""));
    run_command("quit");
    assert_true(host_powered_off);
}

static void input_reaches_running_domains_only(void **state)
{
    last_byte = 0;
    host_type(1, "\xff\x01q", 3);
    assert_int_equal(last_byte, 'q');
    domain_end(&domains[1], END_POWER_OFF, "%s", "");
    host_settle();
    host_type(1, "\xff\x01z", 3);
    assert_int_equal(last_byte, 'q');
}

static bool irqs_on;
bool arch_frame_irqs_on(const struct trap_frame *f) { return irqs_on; }
static void faulty(void *arg) { core_trap("page fault", NULL); }
static void a_fault_stops_its_domain_and_no_other(void **state)
{
    irqs_on = true;
    domains[0].live++; /* a third thread of linux, which faults */
    thread_start(thread_create("bad", 0, 8, faulty, NULL, &domains[0], false));
    host_settle();
    assert_int_equal(domains[0].end, END_FAULT);
    assert_string_equal(domains[0].reason, "page fault in thread bad");
    assert_int_equal(domains[0].state, DOMAIN_STOPPED);
    assert_int_equal(domains[1].state, DOMAIN_RUNNING);
}

static jmp_buf halted;
static bool others_stopped;
void hal_stop_others(void) { others_stopped = true; }
void hal_halt(void) { longjmp(halted, 1); }

/* Interrupts are off wherever a lock is held. */
static void a_fault_with_a_lock_held_stops_the_machine(void **state)
{
    struct thread *me = this_cpu()->sched.running;
    this_cpu()->sched.running = threads[0][0];
    irqs_on = false;
    if (!setjmp(halted)) {
        core_trap("page fault", NULL);
        fail();
    }
    this_cpu()->sched.running = me;
    assert_true(others_stopped && said("PANIC: page fault") && said("domain linux"));
    assert_int_equal(domains[0].state, DOMAIN_RUNNING); /* nothing of it is touched any more */
}

static unsigned tells, told_state, told_live;
static void ended(const struct domain *d)
{
    tells++;
    told_state = d->state;
    told_live = d->live;
}
static void the_peers_are_told_once_before_a_start_can_begin(void **state)
{
    static const struct channel_ops channels = { .ended = ended };
    channel_ops = &channels;
    tells = 0;
    domain_end(&domains[1], END_DONE, "by itself");
    host_settle();
    assert_true(tells == 1 && told_state == DOMAIN_STOPPING && told_live == 0);
    assert_int_equal(domain_start(&domains[1]), 0);
    host_settle();
    kill(&domains[1]); /* its threads leave unasked */
    host_settle();
    assert_true(tells == 2 && told_state == DOMAIN_STOPPING && domains[1].end == END_DONE);
    assert_int_equal(domains[1].state, DOMAIN_STOPPED);
    channel_ops = NULL;
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        T(domains_start_as_the_table_says),
        T(the_first_reason_stands),
        T(a_reset_restarts_when_the_table_says_so),
        T(restarts_after_faults_are_paced),
        T(domains_that_fault_together_wait_together),
        T(a_stop_between_the_decision_to_restart_and_the_start_wins),
        T(a_stop_during_a_start_wins),
        T(the_board_goes_off_with_the_last_that_means_it),
        T(the_board_stays_on_while_a_domain_waits_for_its_restart),
        T(a_failed_start_is_reported_and_can_be_repeated),
        T(a_start_that_is_refused_at_boot_ends_the_run_and_says_why),
        T(a_domain_that_cannot_be_created_ends_the_run),
        T(a_domain_of_other_kernels_ends_nothing_here),
        T(the_monitor_stops_starts_and_restarts),
        T(the_console_waits_with_patience_for_threads_that_do_not_leave),
        T(a_domain_that_ends_by_itself_is_told_to_leave_again_by_a_stop),
        T(a_stop_beside_the_keepers_restart_ends_it_and_says_so),
        T(a_stop_that_has_waited_in_vain_holds),
        T(a_stop_waits_for_the_life_that_it_found_and_for_no_later_one),
        T(each_start_begins_a_life_with_a_number_of_its_own),
        T(the_reason_of_an_end_is_the_first_unless_a_stop_cancels_a_restart),
        T(the_monitor_says_what_would_be_right),
        T(input_reaches_running_domains_only),
        T(a_fault_stops_its_domain_and_no_other),
        T(the_peers_are_told_once_before_a_start_can_begin),
        T(a_fault_with_a_lock_held_stops_the_machine), /* the last one: a kernel panics once */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
