/* SPDX-License-Identifier: MIT */
/* Domains live and end as the table says, whoever ends them; a fault costs its domain and nobody else. */
#include "domain_test.h"

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
        T(the_board_goes_off_with_the_last_that_means_it),
        T(the_board_stays_on_while_a_domain_waits_for_its_restart),
        T(a_failed_start_is_reported_and_can_be_repeated),
        T(a_start_that_is_refused_at_boot_ends_the_run_and_says_why),
        T(a_domain_that_cannot_be_created_ends_the_run),
        T(a_domain_of_other_kernels_ends_nothing_here),
        T(the_monitor_stops_starts_and_restarts),
        T(the_monitor_says_what_would_be_right),
        T(input_reaches_running_domains_only),
        T(a_fault_stops_its_domain_and_no_other),
        T(the_peers_are_told_once_before_a_start_can_begin),
        T(a_fault_with_a_lock_held_stops_the_machine), /* the last one: a kernel panics once */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
