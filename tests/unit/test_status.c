/* SPDX-License-Identifier: MIT */
/* The status: who is told what of the domains of a running system, who may set their priorities, and what is counted.
 */
#include "domain_test.h"

#include <generated/status_calls.h>
#include <process/part.h>
#include <stdlib.h>

#include "status/status.h"

enum { BOARD, DOMAIN, CORE, WINDOW, CHANNEL };

static struct sys_domain conf;
static struct domain holder = { .id = 5, .conf = &conf };
static struct process process = { .domain = &holder };
static struct process_thread thread = { .process = &process };
static u8 memory[64]; /* the process's: all that process_write() reaches */
static s64 result;

int process_write(struct process_thread *t, u64 to, const void *from, size_t n)
{
    if (to > sizeof(memory) || n > sizeof(memory) - to)
        return -EFAULT;
    memcpy(memory + to, from, n);
    return 0;
}

/* Channels */
static unsigned rung;
static bool granted;
static int ring(const struct domain *d, unsigned number)
{
    rung++;
    return 0;
}
static s64 info(const struct domain *d, unsigned index, enum channel_field field)
{
    return field == CHANNEL_GRANTED && d->id == 0 && index == 0 ? granted : -ENOENT;
}
static void renew(void) {}
static void attach(struct domain *d) {}
static void ended(const struct domain *d) {}
static const struct channel_ops channels = {
    .renew = renew, .attach = attach, .info = info, .ring = ring, .ended = ended
};

/* A run of the process with these flags of its record. Returns its handle, or -1. */
static int run(u32 flags)
{
    conf.flags = flags;
    if (!channel_ops)
        channel_ops = &channels;
    process_parts(&process, PROCESS_ENDS);
    assert_int_equal(process_parts(&process, PROCESS_CREATES), 0);
    assert_int_equal(process_parts(&process, PROCESS_BEGINS), 0);
    return flags & SYS_STATUS ? 0 : -1;
}

static int setup_status(void **state)
{
    setup(state);
    assert_int_equal(process_parts(&process, PROCESS_MAPS), 0);
    memset(memory, 0xee, sizeof(memory));
    granted = true;
    return 0;
}

static s64 told(unsigned handle, unsigned what, unsigned n)
{
    return status_call_status_read(&thread, handle, what + 256 * n, 0, sizeof(memory));
}

static struct status_domain domain_told(unsigned n)
{
    struct status_domain d;
    assert_int_equal(told(0, DOMAIN, n), sizeof(d));
    memcpy(&d, memory, sizeof(d));
    return d;
}

static void test_only_a_handle_with_the_right_is_told_anything(void **state)
{
    run(0);
    for (unsigned handle = 0; handle < 40; handle++)
        assert_int_equal(told(handle, BOARD, 0), -EBADF);
    assert_int_equal(status_call_status_priority(&thread, 0, 0, 9), -EBADF);
    struct handle_object other = { .kind = HANDLE_MEMORY };
    assert_int_equal(handle_give(&process, &other, HANDLE_RIGHTS), 0);
    assert_int_equal(told(0, BOARD, 0), -EINVAL);
    run(SYS_STATUS);
    assert_int_equal(told(0, BOARD, 0), sizeof(struct status_board));
    assert_int_equal(status_call_status_priority(&thread, 0, 0, 9), -EACCES);
    assert_int_equal(told(1, BOARD, 0), -EBADF);
}

static void test_a_record_is_copied_whole_and_no_byte_more(void **state)
{
    static const size_t size[] = { sizeof(struct status_board), sizeof(struct status_domain),
                                   sizeof(struct status_core), sizeof(struct status_window),
                                   sizeof(struct status_channel) };
    run(SYS_STATUS);
    for (unsigned what = 0; what < 5; what++) {
        memset(memory, 0xee, sizeof(memory));
        assert_int_equal(told(0, what, 0), size[what]);
        for (size_t i = size[what]; i < sizeof(memory); i++)
            assert_int_equal(memory[i], 0xee);
        memset(memory, 0xee, sizeof(memory));
        assert_int_equal(status_call_status_read(&thread, 0, what, 0, 3), size[what]);
        assert_int_equal(memory[3], 0xee);
        assert_int_equal(status_call_status_read(&thread, 0, what, sizeof(memory) - 8, 64), -EFAULT);
    }
    for (unsigned what = 5; what < 256; what++)
        assert_int_equal(told(0, what, 0), -ENOENT);
    assert_int_equal(told(0, BOARD, 1), -ENOENT);
    assert_int_equal(told(0, DOMAIN, 3), -ENOENT);
    assert_int_equal(told(0, CORE, 2), -ENOENT);
    assert_int_equal(told(0, WINDOW, 3), -ENOENT);
    assert_int_equal(told(0, CHANNEL, 1), -ENOENT);
}

static void test_a_domains_record_follows_it_through_its_lives(void **state)
{
    run(SYS_STATUS);
    struct status_domain d = domain_told(1);
    assert_string_equal(d.name, "rt");
    assert_int_equal(d.state, DOMAIN_RUNNING);
    assert_int_equal(d.starts, 1);
    assert_int_equal(d.threads, 2);
    assert_int_equal(d.priority, 8);
    assert_true(d.switches >= 2);
    run_command("stop rt");
    d = domain_told(1);
    assert_int_equal(d.state, DOMAIN_STOPPED);
    assert_int_equal(d.end, END_STOPPED);
    assert_int_equal(d.threads, 0);  /* what is left of them waits for the next start */
    assert_int_equal(d.priority, 8); /* that they will have, not that to which their end was hurried */
    assert_true(d.switches >= 2);
    assert_int_equal(d.starts, 1);
    run_command("start rt");
    d = domain_told(1);
    assert_int_equal(d.state, DOMAIN_RUNNING);
    assert_int_equal(d.starts, 2);
    assert_int_equal(d.restarts, 0);
    domain_end(&domains[1], END_FAULT, "wild");
    host_settle();
    assert_int_equal(domain_told(1).end, END_FAULT);
    host_run(host_now + 100000000);
    d = domain_told(1);
    assert_int_equal(d.starts, 3);
    assert_int_equal(d.restarts, 1);
    assert_int_equal(domain_told(0).starts, 1);
}

static void test_windows_and_channels_are_as_the_system_says(void **state)
{
    struct status_window w;
    struct status_channel c;
    run(SYS_STATUS);
    assert_int_equal(told(0, WINDOW, 1), sizeof(w));
    memcpy(&w, memory, sizeof(w));
    assert_int_equal(w.core, 1);
    assert_int_equal(w.domain, SYS_NONE);
    assert_int_equal(w.start, 2000);
    assert_int_equal(w.length, 3000);
    for (unsigned i = 0; i < 2; i++, granted = false) {
        assert_int_equal(told(0, CHANNEL, 0), sizeof(c));
        memcpy(&c, memory, sizeof(c));
        assert_string_equal(c.name, "tunnel");
        assert_int_equal(c.granted, granted);
    }
    assert_int_equal(c.a, 0);
    assert_int_equal(c.b, 1);
    assert_int_equal(c.size, 8192);
}

static void test_each_ends_rings_are_counted_and_go_on_to_the_other(void **state)
{
    struct status_channel c, now;
    run(SYS_STATUS);
    told(0, CHANNEL, 0);
    memcpy(&c, memory, sizeof(c));
    rung = 0;
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(channel_ops->ring(&domains[i > 2], 0), 0);
    assert_int_equal(rung, 5);
    told(0, CHANNEL, 0);
    memcpy(&now, memory, sizeof(now));
    assert_int_equal(now.rings[0] - c.rings[0], 3);
    assert_int_equal(now.rings[1] - c.rings[1], 2);
}

/* The calls are made by a thread of the fake machine. */
static unsigned wanted;
static void set(void *arg) { result = status_call_status_priority(&thread, 0, (u32)(uintptr_t)arg, wanted); }
static s64 set_priority(unsigned domain, unsigned priority)
{
    wanted = priority;
    thread_start(thread_create("holder", 0, 8, set, (void *)(uintptr_t)domain, NULL, false));
    host_settle();
    return result;
}

static void test_a_priority_is_set_while_the_domain_runs(void **state)
{
    run(SYS_STATUS | SYS_STATUS_CONTROL);
    assert_int_equal(set_priority(1, 20), 0);
    assert_int_equal(domain_told(1).priority, 20);
    assert_int_equal(threads[1][0]->prio, 20);
    assert_int_equal(threads[1][1]->prio, 20);
    assert_int_equal(threads[0][0]->prio, 8);
    assert_int_equal(set_priority(1, 0), -ERANGE);
    assert_int_equal(set_priority(1, PRIO_LEVELS), -ERANGE);
    assert_int_equal(set_priority(3, 9), -ENOENT);
    assert_int_equal(set_priority(2, 9), -ENOENT); /* it does not run */
    assert_int_equal(domain_told(1).priority, 20);
    run_command("restart rt");
    assert_int_equal(domain_told(1).priority, 8);
}

static void test_the_operator_sets_a_priority_by_name(void **state)
{
    run(SYS_STATUS);
    run_command("priority rt 31");
    assert_true(said("ok"));
    assert_int_equal(domain_told(1).priority, 31);
    run_command("priority rt  3");
    assert_int_equal(domain_told(1).priority, 3);
    static const char *const wrong[] = {
        "priority",        "priority rt",       "priority rt 0",          "priority rt 32",
        "priority rt -1",  "priority nobody 3", "priority rt 4294967297", "priority rt 4x",
        "priority bench 4"
    };
    for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++) {
        run_command(wrong[i]);
        assert_true(said("error: priority"));
        assert_int_equal(domain_told(1).priority, 3);
    }
}

/* A thread that others wait for to end is not made to wait. */
static void test_who_is_hurried_to_its_end_keeps_that_priority(void **state)
{
    run(SYS_STATUS | SYS_STATUS_CONTROL);
    thread_hurry(threads[1][0], 25);
    assert_int_equal(set_priority(1, 2), 0);
    assert_int_equal(threads[1][0]->prio, 25);
    assert_int_equal(threads[1][1]->prio, 2);
}

static void test_a_record_that_controls_and_may_not_read_is_refused(void **state)
{
    struct sys_domain d = { .flags = SYS_STATUS_CONTROL };
    assert_non_null(process_parts_check(&s.h, &d));
    d.flags |= SYS_STATUS;
    assert_null(process_parts_check(&s.h, &d));
    d.flags = SYS_STATUS;
    assert_null(process_parts_check(&s.h, &d));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_only_a_handle_with_the_right_is_told_anything, setup_status),
        cmocka_unit_test_setup(test_a_record_is_copied_whole_and_no_byte_more, setup_status),
        cmocka_unit_test_setup(test_a_domains_record_follows_it_through_its_lives, setup_status),
        cmocka_unit_test_setup(test_windows_and_channels_are_as_the_system_says, setup_status),
        cmocka_unit_test_setup(test_each_ends_rings_are_counted_and_go_on_to_the_other, setup_status),
        cmocka_unit_test_setup(test_a_priority_is_set_while_the_domain_runs, setup_status),
        cmocka_unit_test_setup(test_the_operator_sets_a_priority_by_name, setup_status),
        cmocka_unit_test_setup(test_who_is_hurried_to_its_end_keeps_that_priority, setup_status),
        cmocka_unit_test_setup(test_a_record_that_controls_and_may_not_read_is_refused, setup_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
