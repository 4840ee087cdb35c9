/* SPDX-License-Identifier: MIT */
/* Frames between the switches of an SCC's cores: one kernel's part at a time, in the memory that all share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <core/thread.h>
#include <errors.h>
#include <hal/upcalls.h>
#include <net/mesh.h>
#include <string.h>
#include <sys/mman.h>

#include "uplink.h"

#define ME     5u
#define PEER   33u
#define THIRD  47u
#define NET    3u
#define LENGTH 100u

unsigned scc_core = ME;
bool host_irq_on = true;
u64 host_now = 1;
static const u8 mac[3][MAC_BYTES] = { { 2, 0, 0, 0, 0, 5 }, { 2, 0, 0, 0, 0, 33 }, { 2, 0, 0, 0, 0, 47 } };
static const u8 everybody[MAC_BYTES] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
static struct net_switch sw;
static struct net_uplink *uplink;
static void (*taker)(void *);
static jmp_buf blocked;
static unsigned interrupts[SCC_CORES], got, wakes, polled; /* polled: `got` when the scheduler was last asked */
static u8 last[FRAME_MAX];
static u32 last_length;

/* --- what mesh.c stands on ------------------------------------------------------------------------------ */

ticks_t time_from_ns(u64 ns) { return ns; }
void printk(const char *fmt, ...) {}
void scc_interrupt(unsigned core) { interrupts[core]++; }
struct thread *thread_create(const char *name, unsigned core, unsigned prio, void (*body)(void *), void *arg,
                             struct domain *domain, bool fpu)
{
    static char record;
    taker = body;
    return (struct thread *)&record;
}
void thread_start(struct thread *t) {}
int thread_block(ticks_t deadline) { longjmp(blocked, 1); }
void thread_wake(struct thread *t) { wakes++; }
void sched_poll(void) { polled = got; }
bool net_frame_copy(struct net_frame *f, void *to, u32 n)
{
    if (!f->piece)
        return false;
    memset(to, (u8)(uintptr_t)*f->next, n);
    return true;
}
bool uplink_forward(struct net_switch *to, struct net_port *from, u8 *bytes, u32 length)
{
    assert_ptr_equal(to, &sw);
    assert_int_equal(polled, got); /* whom the frame before has woken may run first */
    memcpy(last, bytes, length);
    last_length = length;
    got++;
    return false;
}

/* --- this kernel and the others --------------------------------------------------------------------------- */

/* A kernel of core 5 begins; the memory is what it was. */
static void boot(void)
{
    static bool once;
    if (!once) {
        net_route(NET, mac[0], 1ull << ME, 0);
        net_route(NET, mac[1], 1ull << PEER, 1);
        net_route(NET, mac[2], 1ull << THIRD, 15);
        uplink = uplink_create(NET, &sw);
    }
    once = true;
}

static int setup(void **state)
{
    struct scc_shared *s = scc_shared();
    s->up[ME] = s->up[PEER] = s->up[THIRD] = 1;
    memset(interrupts, 0, sizeof(interrupts));
    got = wakes = polled = 0;
    host_now += 1000000000; /* all have had their time */
    boot();
    return 0;
}

static void *piece(struct net_frame *f, u32 from, u32 *n) { return NULL; }

static s32 budget; /* what the last frame has left of NET_BUDGET */

/* Send LENGTH bytes of `fill`. */
static int send(const u8 *to, u64 fill)
{
    static u8 destination[MAC_BYTES];
    budget = NET_BUDGET;
    memcpy(destination, to, MAC_BYTES);
    struct net_frame f = { fill ? piece : NULL, LENGTH, &budget, destination, &fill };
    return uplink->send(uplink, &f);
}

/* Take as `core` what is for it in core 5's ring from `serial` on. Returns how many it were. */
static unsigned take_as(unsigned core, u32 serial)
{
    const struct mesh_ring *r = &mesh_shared()->ring[0];
    unsigned n = 0;
    for (; serial != r->head; serial++) {
        const struct mesh_frame *f = &r->frame[serial % MESH_FRAMES];
        n += f->serial == serial && f->to[core / 32] >> core % 32 & 1;
    }
    mesh_shared()->taken[core][ME] = serial;
    return n;
}

/* The kernel of core 33 sends a frame, whatever it is. */
static void from_peer(u32 length, u32 net, unsigned to, u8 fill)
{
    struct mesh_ring *r = &mesh_shared()->ring[1];
    struct mesh_frame *f = &r->frame[r->head % MESH_FRAMES];
    *f = (struct mesh_frame){ .serial = r->head, .length = length, .net = net };
    f->to[to / 32] = 1u << to % 32;
    memset(f->byte, fill, FRAME_MAX);
    r->head++;
    mesh_shared()->waits[ME][PEER / 32] |= 1u << PEER % 32;
}

/* This kernel's thread runs until it has nothing to do. */
static void receive(void)
{
    net_rang();
    if (!setjmp(blocked))
        taker(NULL);
}

/* --- the tests ----------------------------------------------------------------------------------------------- */

static void a_frame_for_another_cores_port_goes_to_that_core_alone(void **state)
{
    u32 at = mesh_shared()->ring[0].head;
    assert_int_equal(send(mac[1], 7), 0);
    const struct mesh_frame *f = &mesh_shared()->ring[0].frame[at % MESH_FRAMES];
    assert_int_equal(mesh_shared()->ring[0].head, at + 1);
    assert_int_equal(f->serial, at);
    assert_int_equal(f->length, LENGTH);
    assert_int_equal(f->net, NET);
    assert_int_equal(f->byte[0] + f->byte[LENGTH - 1], 14);
    assert_int_equal(interrupts[PEER], 1);
    assert_int_equal(interrupts[THIRD], 0);
    assert_true(budget <= NET_BUDGET - NET_WAKE_COST);
    assert_true(mesh_shared()->waits[PEER][0] & 1u << ME);
    assert_int_equal(take_as(PEER, at), 1);
    assert_int_equal(take_as(THIRD, at), 0);
}

static void a_group_frame_is_written_once_for_all_others(void **state)
{
    u32 at = mesh_shared()->ring[0].head;
    assert_int_equal(send(everybody, 7), 0);
    assert_int_equal(mesh_shared()->ring[0].head, at + 1);
    assert_int_equal(take_as(PEER, at) + take_as(THIRD, at), 2);
    assert_int_equal(interrupts[ME], 0);
}

static void a_frame_for_nobody_is_an_error_of_the_switch(void **state)
{
    assert_int_equal(send((const u8[MAC_BYTES]){ 2, 9 }, 7), -ENODEV);
    scc_shared()->up[PEER] = 0;
    assert_int_equal(send(mac[1], 7), -ENODEV);
    assert_int_equal(send(mac[0], 7), -ENODEV); /* its own ports' */
}

static void who_takes_nothing_costs_frames_and_holds_nobody_up_for_good(void **state)
{
    u32 at = mesh_shared()->ring[0].head;
    for (unsigned i = 0; i < MESH_FRAMES; i++)
        assert_int_equal(send(mac[1], 7), 0);
    assert_int_equal(send(mac[2], 7), -ENOSPC);
    assert_int_equal(take_as(PEER, at), MESH_FRAMES);
    assert_int_equal(send(mac[1], 7), 0);
    for (unsigned i = 1; i < MESH_FRAMES; i++)
        assert_int_equal(send(mac[1], 7), 0);
    assert_int_equal(send(mac[2], 7), -ENOSPC);
    host_now += 200000000;
    assert_int_equal(send(mac[2], 7), 0);
}

static void a_frame_that_its_sender_takes_back_is_none(void **state)
{
    u32 at = mesh_shared()->ring[0].head;
    assert_int_equal(send(mac[1], 0), -ENOSPC);
    assert_int_equal(mesh_shared()->ring[0].head, at);
    assert_int_equal(take_as(PEER, at - 1), 0);
    assert_int_equal(send(mac[1], 8), 0);
    assert_int_equal(take_as(PEER, at), 1);
}

static void what_others_send_goes_into_the_switch_in_its_order(void **state)
{
    from_peer(60, NET, THIRD, 1);
    from_peer(61, NET, ME, 2);
    from_peer(FRAME_MAX, NET, ME, 3);
    receive();
    assert_int_equal(got, 2);
    assert_int_equal(wakes, 1);
    assert_int_equal(last_length, FRAME_MAX);
    assert_int_equal(last[0], 3);
    receive();
    assert_int_equal(got, 2);
    assert_int_equal(wakes, 1);
}

static void a_frame_that_was_written_over_is_lost_and_those_behind_it_are_not(void **state)
{
    from_peer(60, NET, ME, 1);
    mesh_shared()->ring[1].frame[(mesh_shared()->ring[1].head - 1) % MESH_FRAMES].serial--;
    from_peer(60, NET, ME, 2);
    receive();
    assert_int_equal(got, 1);
    assert_int_equal(last[0], 2);
}

static void rubbish_of_others_is_bounded(void **state)
{
    from_peer(FRAME_MAX + 1, NET, ME, 1);
    from_peer(FRAME_MIN - 1, NET, ME, 1);
    from_peer(~0u, NET, ME, 1);
    from_peer(60, NET + 1, ME, 1); /* a switch without ports */
    from_peer(60, ~0u, ME, 1);
    receive();
    assert_int_equal(got, 0);
    mesh_shared()->ring[1].head += 0x12345678; /* as many frames as never were */
    memset(mesh_shared()->waits[ME], 0xff, sizeof(mesh_shared()->waits[ME]));
    receive();
    assert_int_equal(got, 0);
    mesh_shared()->taken[ME][PEER] = 99; /* another kernel writes this one's word */
    from_peer(60, NET, ME, 4);
    receive();
    assert_int_equal(got, 1);
}

static void a_kernel_that_begins_again_takes_nothing_of_its_former_life(void **state)
{
    mesh_shared()->ring[7].head = 1000;
    net_route(NET, (const u8[MAC_BYTES]){ 2, 0, 0, 0, 0, 8 }, 1ull << 8, 7);
    assert_int_equal(mesh_shared()->taken[ME][8], 1000);
}

static void an_address_on_several_cores_or_beyond_the_rings_is_refused(void **state)
{
    const u8 other[MAC_BYTES] = { 2, 0, 0, 0, 0, 9 };
    scc_shared()->up[9] = scc_shared()->up[10] = 1;
    net_route(NET, other, 3ull << 9, 8);
    net_route(NET, other, 1ull << 9, MESH_MEMBERS);
    assert_int_equal(send(other, 7), -ENODEV);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_frame_for_another_cores_port_goes_to_that_core_alone, setup),
        cmocka_unit_test_setup(a_group_frame_is_written_once_for_all_others, setup),
        cmocka_unit_test_setup(a_frame_for_nobody_is_an_error_of_the_switch, setup),
        cmocka_unit_test_setup(who_takes_nothing_costs_frames_and_holds_nobody_up_for_good, setup),
        cmocka_unit_test_setup(a_frame_that_its_sender_takes_back_is_none, setup),
        cmocka_unit_test_setup(what_others_send_goes_into_the_switch_in_its_order, setup),
        cmocka_unit_test_setup(a_frame_that_was_written_over_is_lost_and_those_behind_it_are_not, setup),
        cmocka_unit_test_setup(rubbish_of_others_is_bounded, setup),
        cmocka_unit_test_setup(a_kernel_that_begins_again_takes_nothing_of_its_former_life, setup),
        cmocka_unit_test_setup(an_address_on_several_cores_or_beyond_the_rings_is_refused, setup),
    };
    void *at = mmap((void *)SCC_SHARED, 1 << 24, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);
    if (at != (void *)SCC_SHARED)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
