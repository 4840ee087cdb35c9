/* SPDX-License-Identifier: MIT */
/*
 * Ports of switches that processes have: who gets which, what comes to a port and to an uplink, what is lost, who is
 * woken, and what a call refuses. Guests are ports of the test's own.
 */
#include "threads.h"

#include <generated/port_calls.h>
#include <process/part.h>

#include "net/process_port.h"
#include "records.h"

#define PORT(n)   (SYS_PORT | (n))
#define UPLINK(n) (SYS_PORT | SYS_PORT_UPLINK | (n))
#define LENGTH    100u

static struct sys_header header;
const struct sys_header *system_table = &header;
struct domain domains[SYS_MAX_DOMAINS];
static struct sys_domain conf[SYS_MAX_DOMAINS];
static struct process process[SYS_MAX_DOMAINS];
static struct process_thread thread[SYS_MAX_DOMAINS];
static unsigned used; /* processes: those of earlier tests keep their ports, as those of a system do */
static u8 memory[2048];
static s64 result;

static unsigned got; /* frames that the guest got */
static const u8 elsewhere[MAC_BYTES] = { 2, 1, 1, 1, 1, 1 };
static const u8 guest_mac[MAC_BYTES] = { 2, 0, 0, 0, 0, 9 };

void user_refresh(struct user *u) {}
int process_read(struct process_thread *t, void *to, u64 from, size_t n)
{
    if (from > sizeof(memory) || n > sizeof(memory) - from)
        return -EFAULT;
    memcpy(to, memory + from, n);
    return 0;
}
int process_write(struct process_thread *t, u64 to, const void *from, size_t n)
{
    if (to > sizeof(memory) || n > sizeof(memory) - to)
        return -EFAULT;
    memcpy(memory + to, from, n);
    return 0;
}

static bool guest_takes(struct net_port *to, struct net_frame *f)
{
    u8 bytes[FRAME_MAX];
    got++;
    return net_frame_copy(f, bytes, f->length) || true;
}

static struct net_port guest = { .deliver = guest_takes, .mac = guest_mac, .owner = &guest };

/* Returns the number of a process with these ports, whose first run has begun. */
static unsigned process_with(u8 first, u8 second)
{
    unsigned n = used++;
    conf[n].kind = SYS_KIND_PROCESS;
    process_record(&conf[n])->port[0] = first;
    process_record(&conf[n])->port[1] = second;
    domains[n] = (struct domain){ .id = n, .conf = &conf[n] };
    process[n].domain = &domains[n];
    list_init(&process[n].waiters);
    thread[n].process = &process[n];
    return n;
}

static int run(unsigned n)
{
    int err = process_parts(&process[n], PROCESS_MAPS);
    return err ? err : process_parts(&process[n], PROCESS_BEGINS);
}

/* Send a frame of process n's first port. */
static s64 send(unsigned n, const u8 *to, u8 mark)
{
    memset(memory, 0, sizeof(memory));
    memcpy(memory, to, MAC_BYTES);
    memory[13] = mark;
    return port_call_port_send(&thread[n], 0, 0, LENGTH);
}

/* Returns the mark of the frame that process n takes, or the error. */
static s64 take(unsigned n)
{
    s64 bytes = port_call_port_receive(&thread[n], 0, 0, sizeof(memory));
    return bytes < 0 ? bytes : bytes == LENGTH ? memory[13] : -1;
}

static const u8 *mac_of(unsigned n)
{
    static u8 mac[MAC_BYTES];
    u64 number = (u64)port_call_port_info(&thread[n], 0, PORT_CALL_PORT_INFO_ADDRESS);
    for (unsigned i = 0; i < MAC_BYTES; i++)
        mac[i] = (u8)(number >> 8 * (MAC_BYTES - 1 - i));
    return mac;
}

static s64 lost(unsigned n) { return port_call_port_info(&thread[n], 0, PORT_CALL_PORT_INFO_LOST); }

static void a_record_that_is_wrong_is_refused(void **state)
{
    static const u8 wrong[] = { 1, SYS_PORT_UPLINK, 0x40 | SYS_PORT, 0x80 | SYS_PORT };
    for (unsigned i = 0; i < sizeof(wrong); i++) {
        process_record(&conf[15])->port[3] = wrong[i];
        assert_non_null(process_parts_check(&header, &conf[15]));
    }
    process_record(&conf[15])->port[3] = UPLINK(15);
    assert_null(process_parts_check(&header, &conf[15]));
    process_record(&conf[15])->port[3] = 0;
}

static void a_frame_comes_to_the_port_of_its_address_in_order(void **state)
{
    unsigned a = process_with(PORT(0), 0), b = process_with(PORT(0), 0);
    assert_int_equal(run(a) | run(b), 0);
    for (u8 i = 0; i < 5; i++)
        assert_int_equal(send(a, mac_of(b), i), 0);
    assert_int_equal(take(a), -EAGAIN);
    for (u8 i = 0; i < 5; i++)
        assert_int_equal(take(b), i);
    assert_int_equal(take(b), -EAGAIN);
}

static void a_frame_that_finds_no_room_is_lost_and_counted(void **state)
{
    unsigned a = process_with(PORT(1), 0), b = process_with(PORT(1), 0);
    assert_int_equal(run(a) | run(b), 0);
    for (u8 i = 0; i < PORT_FRAMES + 7; i++)
        assert_int_equal(send(a, mac_of(b), i), 0);
    assert_int_equal(lost(b), 7);
    for (u8 i = 0; i < PORT_FRAMES; i++)
        assert_int_equal(take(b), i);
    assert_int_equal(take(b), -EAGAIN);
}

static void what_comes_for_one_life_is_not_the_next_ones(void **state)
{
    unsigned a = process_with(PORT(2), 0), b = process_with(PORT(2), 0);
    assert_int_equal(run(a) | run(b), 0);
    u8 to[MAC_BYTES];
    memcpy(to, mac_of(b), MAC_BYTES);
    send(a, to, 1);
    process_parts(&process[b], PROCESS_ENDS);
    assert_int_equal(take(b), -EBADF);
    send(a, to, 2);
    process_parts(&process[b], PROCESS_BEGINS);
    assert_int_equal(take(b), -EAGAIN);
    assert_int_equal(lost(b), 1);
    send(a, to, 3);
    assert_int_equal(take(b), 3);
}

static void an_uplink_gets_what_is_for_no_port_and_for_groups_and_sends_to_ports(void **state)
{
    static const u8 all[MAC_BYTES] = { 255, 255, 255, 255, 255, 255 };
    unsigned out = process_with(UPLINK(3), 0), a = process_with(PORT(3), 0);
    assert_int_equal(run(out), 0);
    assert_int_equal(send(out, guest_mac, 1), 0); /* there is no port yet */
    assert_int_equal(take(out), -EAGAIN);
    assert_int_equal(run(a), 0);
    assert_int_equal(net_switch_join(3, &guest), 0);
    send(a, guest_mac, 2);
    assert_int_equal(take(out), -EAGAIN);
    send(a, elsewhere, 3);
    assert_int_equal(take(out), 3);
    send(a, all, 4);
    assert_int_equal(take(out), 4);
    assert_int_equal(got, 2);
    send(out, all, 5); /* not back to the uplink */
    assert_int_equal(take(out), -EAGAIN);
    assert_int_equal(take(a), 5);
    assert_int_equal(got, 3);
    assert_int_equal(lost(a), 0);
    process_parts(&process[out], PROCESS_ENDS);
    send(a, elsewhere, 6);
    assert_int_equal(lost(a), 1);
}

static void a_switch_has_one_uplink(void **state)
{
    unsigned a = process_with(UPLINK(4), 0), b = process_with(UPLINK(4), 0);
    assert_int_equal(run(a), 0);
    assert_int_equal(run(b), -EEXIST);
    assert_string_equal(domains[b].reason, "there is no other uplink of switch 4 for it");
}

static void wait(void *arg)
{
    struct process_thread *t = arg;
    t->thread = thread_self();
    result = port_call_port_wait(t, 0, ~0ull);
    say('w');
}

static void who_waits_is_woken_by_a_frame_and_does_not_wait_if_there_is_one(void **state)
{
    unsigned a = process_with(PORT(5), 0), b = process_with(PORT(5), 0);
    assert_int_equal(run(a) | run(b), 0);
    spawn("w", 0, 10, wait, &thread[b]);
    host_settle();
    assert_string_equal(order, "");
    send(a, mac_of(b), 1);
    host_settle();
    assert_string_equal(order, "w");
    assert_int_equal(result, 0);
    assert_int_equal(port_call_port_wait(&thread[b], 0, ~0ull), 0);
    assert_int_equal(take(b), 1);
}

static void each_wrong_argument_is_refused(void **state)
{
    unsigned a = process_with(PORT(6), UPLINK(6));
    assert_int_equal(run(a), 0);
    assert_int_equal(port_call_port_send(&thread[a], 2, 0, LENGTH), -EBADF);
    assert_int_equal(port_call_port_receive(&thread[a], 2, 0, LENGTH), -EBADF);
    assert_int_equal(port_call_port_wait(&thread[a], 2, 0), -EBADF);
    assert_int_equal(port_call_port_info(&thread[a], 2, PORT_CALL_PORT_INFO_UPLINK), -EBADF);
    assert_int_equal(port_call_port_send(&thread[a], 0, 0, FRAME_MIN - 1), -EINVAL);
    assert_int_equal(port_call_port_send(&thread[a], 0, 0, FRAME_MAX + 1), -EINVAL);
    assert_int_equal(port_call_port_send(&thread[a], 0, sizeof(memory) - LENGTH + 1, LENGTH), -EFAULT);
    send(a, elsewhere, 1); /* to the uplink, the second handle */
    assert_int_equal(port_call_port_receive(&thread[a], 1, sizeof(memory), 1), -EFAULT);
    assert_int_equal(port_call_port_receive(&thread[a], 1, 0, 1), -EAGAIN);
    assert_int_equal(port_call_port_info(&thread[a], 1, PORT_CALL_PORT_INFO_UPLINK), 1);
    assert_int_equal(port_call_port_info(&thread[a], 1, PORT_CALL_PORT_INFO_NETWORK), 6);
    assert_int_equal(port_call_port_info(&thread[a], 1, PORT_CALL_PORT_INFO_ADDRESS), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_record_that_is_wrong_is_refused, setup),
        cmocka_unit_test_setup(a_frame_comes_to_the_port_of_its_address_in_order, setup),
        cmocka_unit_test_setup(a_frame_that_finds_no_room_is_lost_and_counted, setup),
        cmocka_unit_test_setup(what_comes_for_one_life_is_not_the_next_ones, setup),
        cmocka_unit_test_setup(an_uplink_gets_what_is_for_no_port_and_for_groups_and_sends_to_ports, setup),
        cmocka_unit_test_setup(a_switch_has_one_uplink, setup),
        cmocka_unit_test_setup(who_waits_is_woken_by_a_frame_and_does_not_wait_if_there_is_one, setup),
        cmocka_unit_test_setup(each_wrong_argument_is_refused, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
