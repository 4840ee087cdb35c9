/* SPDX-License-Identifier: MIT */
/*
 * Ports of processes on an SCC's cores: whom a frame is for, by its address and the system, and what the process that
 * is the way outside gets and sends. This kernel is core 5's; one of core 33 has a guest.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <core/domain.h>
#include <core/sched.h>
#include <errors.h>
#include <generated/port_calls.h>
#include <process/memory.h>
#include <process/system_part.h>
#include <string.h>

#include "mesh.h"
#include "process_port.h"
#include "uplink.h"

#define ME      5u
#define GUEST   33u /* the core of the guest */
#define NET     3u
#define LENGTH  60u
#define BIT(n)  (1ull << (n))
#define PORT    (SYS_PORT | NET)
#define OUTSIDE (SYS_PORT | SYS_PORT_UPLINK | NET)

enum { MANY, BRIDGE, OTHER, TASK, DOMAINS }; /* a process on cores 5 and 47, the way outside on 5, one on net 4 */

unsigned scc_core = ME;
bool host_irq_on = true;
static struct sys_header header = { .n_domains = DOMAINS };
const struct sys_header *system_table = &header;
static struct sys_domain conf[DOMAINS];
static struct domain domain[DOMAINS];
static struct process process[DOMAINS];
static struct net_switch sw;
static const u8 guest[MAC_BYTES] = { 2, 0, 0, 0, 0, 9 }, everybody[MAC_BYTES] = { 255, 255, 255, 255, 255, 255 };
static unsigned taken, forwarded, sent;
static struct net_port *from;
static bool room;
static int result;                 /* of mesh_send() */
static struct process_port *calls; /* the port of handle 0 */
static unsigned flood;             /* what that loses beside a frame */

/* --- what mesh_ports.c stands on ------------------------------------------------------------------------- */

const struct sys_domain *sys_domain(const struct sys_header *h, unsigned i) { return &conf[i]; }
u64 mesh_guests(unsigned net, const u8 *mac)
{
    return net == NET && (mac[0] & 1 || !memcmp(mac, guest, MAC_BYTES)) ? BIT(GUEST) : 0;
}
int mesh_send(unsigned net, u64 to, struct net_frame *f)
{
    assert_int_equal(to, mesh_ports(NET, f->to));
    assert_false(host_irq_on);
    assert_int_equal(net, NET);
    sent++;
    return result;
}
bool process_port_take(struct process_port *p, struct net_frame *f)
{
    assert_int_equal(f->length, LENGTH);
    taken += room;
    return room;
}
void *uplink_piece(struct net_frame *f, u32 at, u32 *n) { return NULL; }
bool uplink_forward(struct net_switch *to, struct net_port *port, u8 *bytes, u32 length)
{
    assert_ptr_equal(to, &sw);
    from = port;
    forwarded++;
    if (calls)
        calls->port.lost += flood;
    return port && result;
}

/* --- what process_calls.c stands on -------------------------------------------------------------------------- */

int handle_take(struct process *p, unsigned index, enum handle_kind kind, u32 rights, struct handle_object **taken)
{
    *taken = &calls->object;
    return index ? -EBADF : 0;
}
int process_read(struct process_thread *t, void *to, u64 at, size_t n)
{
    memcpy(to, everybody, MAC_BYTES);
    return 0;
}
int process_write(struct process_thread *t, u64 to, const void *at, size_t n) { return 0; }
struct spinlock *net_switch_lock(struct net_switch *s) { return &s->lock; }
void sched_poll(void) {}
void thread_block_here(void) {}
s64 process_waiter_block(struct process_thread *t, u64 deadline) { return 0; }

/* --- the system ---------------------------------------------------------------------------------------------- */

static void runs(unsigned n, u64 cores, u8 port)
{
    struct sys_process *p = (struct sys_process *)conf[n].part;
    conf[n].kind = SYS_KIND_PROCESS;
    p->ues[0] = (u32)cores;
    p->ues[1] = (u32)(cores >> 32);
    p->port[0] = port;
    domain[n] = (struct domain){ .id = (u8)n, .conf = &conf[n] };
    process[n].domain = &domain[n];
}

static struct process_port bridge = { .process = &process[BRIDGE], .number = NET, .uplink = true, .port.sw = &sw };

static int setup(void **state)
{
    static bool once;
    runs(MANY, BIT(ME) | BIT(47), PORT);
    runs(BRIDGE, BIT(ME), OUTSIDE);
    runs(OTHER, BIT(ME) | BIT(46), SYS_PORT | 4);
    runs(TASK, BIT(ME), PORT);
    conf[TASK].kind = SYS_KIND_VM;
    if (!once) {
        mesh_learn();
        assert_int_equal(process_uplink_claim(&bridge), 0);
        assert_int_equal(process_uplink_claim(&bridge), -EEXIST);
    }
    once = true;
    taken = forwarded = sent = 0;
    room = true;
    result = 0;
    flood = 0;
    calls = NULL;
    bridge.port.lost = 0;
    return 0;
}

/* The address of a port of domain n on that core. */
static const u8 *address(unsigned n, unsigned core)
{
    static struct process_port p;
    p = (struct process_port){ .process = &process[n] };
    scc_core = core;
    process_port_address(&p);
    scc_core = ME;
    return p.mac;
}

/* --- the tests ----------------------------------------------------------------------------------------------- */

static void a_frame_is_for_the_core_that_its_address_names(void **state)
{
    assert_int_equal(mesh_ports(NET, address(MANY, 47)), BIT(47));
    assert_int_equal(mesh_ports(NET, address(MANY, ME)), BIT(ME));
    assert_int_equal(mesh_ports(NET, guest), BIT(GUEST));
    assert_int_equal(mesh_ports(4, address(OTHER, 46)), BIT(46));
}

/* Of net 3 that is core 5, whose process has the uplink; net 4 has none. */
static void what_the_system_has_no_port_for_goes_outside(void **state)
{
    static const unsigned wrong[][2] = { { MANY, 46 },   { MANY, 48 },  { MANY, 255 },
                                         { BRIDGE, ME }, { OTHER, 46 }, { TASK, ME } };
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        assert_int_equal(mesh_ports(NET, address(wrong[i][0], wrong[i][1])), BIT(ME));
        if (wrong[i][0] != OTHER)
            assert_int_equal(mesh_ports(4, address(wrong[i][0], wrong[i][1])), 0);
    }
    u8 mac[MAC_BYTES];
    for (unsigned at = 0; at < MAC_BYTES; at++)
        for (unsigned byte = 2; byte < 256; byte += 2) {
            memcpy(mac, address(MANY, 47), MAC_BYTES);
            mac[at] ^= (u8)byte; /* the lowest bit stays, which says whether it is a group's; core 5 also has a port */
            assert_int_equal(mesh_ports(NET, mac), BIT(ME));
        }
}

static void a_group_is_all_cores_with_ports_and_the_way_outside(void **state)
{
    assert_int_equal(mesh_ports(NET, everybody), BIT(ME) | BIT(47) | BIT(GUEST));
    assert_int_equal(mesh_ports(4, everybody), BIT(ME) | BIT(46));
}

static int out(unsigned net, const u8 *to)
{
    static u8 mac[MAC_BYTES];
    s32 budget = NET_BUDGET;
    u64 next = 1;
    memcpy(mac, to, MAC_BYTES);
    struct net_frame f = { uplink_piece, LENGTH, &budget, mac, &next };
    return mesh_out(net, &f);
}

static void the_way_outside_gets_what_is_for_nobody_and_for_groups(void **state)
{
    assert_int_equal(out(NET, (const u8[MAC_BYTES]){ 2, 9 }), 0);
    assert_int_equal(out(NET, everybody), 0);
    assert_int_equal(taken, 2);
    assert_int_equal(out(NET, guest), -ENODEV);
    assert_int_equal(out(NET, address(MANY, 47)), -ENODEV);
    assert_int_equal(out(4, everybody), -ENODEV);
    assert_int_equal(taken, 2);
    room = false;
    assert_int_equal(out(NET, everybody), -ENOSPC);
    assert_int_equal(bridge.port.lost, 1);
}

static void what_comes_from_another_core_goes_into_the_switch_and_outside(void **state)
{
    u8 bytes[LENGTH] = { 2, 9 };
    mesh_came(NET, &sw, bytes, LENGTH);
    assert_int_equal(forwarded, 1);
    assert_null(from);
    assert_int_equal(taken, 1);
    mesh_came(NET, NULL, bytes, LENGTH); /* no port of this core */
    assert_int_equal(forwarded, 1);
    assert_int_equal(taken, 2);
    memcpy(bytes, address(MANY, ME), MAC_BYTES);
    mesh_came(NET, &sw, bytes, LENGTH);
    assert_int_equal(forwarded, 2);
    assert_int_equal(taken, 2);
    assert_int_equal(sent, 0);
    assert_true(host_irq_on);
}

static void what_the_way_outside_sends_goes_to_all_cores_and_not_back(void **state)
{
    u8 bytes[LENGTH] = { 255, 255, 255, 255, 255, 255 };
    process_port_send(&bridge, bytes, LENGTH);
    assert_int_equal(forwarded, 1);
    assert_null(from);
    assert_int_equal(sent, 1);
    assert_int_equal(taken, 0);
    struct process_port p = { .process = &process[MANY], .number = NET, .port.sw = &sw };
    process_port_send(&p, bytes, LENGTH); /* the switch hands it to its uplink */
    assert_ptr_equal(from, &p.port);
    assert_int_equal(sent, 1);
}

/* Where no other core has the receiver nothing is lost: it may be of this one. */
static void what_the_ring_has_no_room_for_is_lost_of_the_way_outside(void **state)
{
    u8 bytes[LENGTH] = { 255, 255, 255, 255, 255, 255 };
    process_port_send(&bridge, bytes, LENGTH);
    result = -ENODEV;
    process_port_send(&bridge, bytes, LENGTH);
    assert_int_equal(bridge.port.lost, 0);
    result = -ENOSPC;
    process_port_send(&bridge, bytes, LENGTH);
    assert_int_equal(bridge.port.lost, 1);
}

static void what_the_way_outside_sends_to_nobody_is_lost_and_counted(void **state)
{
    const u8 *nobodys[] = { (u8[LENGTH]){ 2, 0, 0, 0, 0, 8 }, (u8[LENGTH]){ 0x02, 0x41, 0x50, ME, DOMAINS, 0 } };
    for (unsigned i = 0; i < ARRAY_SIZE(nobodys); i++) {
        u8 bytes[LENGTH];
        memcpy(bytes, nobodys[i], LENGTH);
        assert_true(process_port_send(&bridge, bytes, LENGTH));
        assert_int_equal(bridge.port.lost, i + 1);
        assert_int_equal(sent, 0);
    }
}

/* Of a port as of the way outside. */
static void who_sends_what_the_ring_has_no_room_for_is_told(void **state)
{
    struct process_thread t = { .process = &process[MANY] };
    struct process_port p = { .process = &process[MANY], .number = NET, .port.sw = &sw, .port.lost = 7 };
    for (unsigned i = 0; i < 2; i++) {
        calls = i ? &bridge : &p;
        result = 0;
        flood = 5;
        assert_int_equal(port_call_port_send(&t, 0, 0, LENGTH), 0);
        result = -ENOSPC;
        flood = 0;
        assert_int_equal(port_call_port_send(&t, 0, 0, LENGTH), -ENOSPC);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_frame_is_for_the_core_that_its_address_names, setup),
        cmocka_unit_test_setup(what_the_system_has_no_port_for_goes_outside, setup),
        cmocka_unit_test_setup(a_group_is_all_cores_with_ports_and_the_way_outside, setup),
        cmocka_unit_test_setup(the_way_outside_gets_what_is_for_nobody_and_for_groups, setup),
        cmocka_unit_test_setup(what_comes_from_another_core_goes_into_the_switch_and_outside, setup),
        cmocka_unit_test_setup(what_the_way_outside_sends_goes_to_all_cores_and_not_back, setup),
        cmocka_unit_test_setup(what_the_ring_has_no_room_for_is_lost_of_the_way_outside, setup),
        cmocka_unit_test_setup(what_the_way_outside_sends_to_nobody_is_lost_and_counted, setup),
        cmocka_unit_test_setup(who_sends_what_the_ring_has_no_room_for_is_told, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
