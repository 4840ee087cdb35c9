/* SPDX-License-Identifier: MIT */
/* Files of /dev/amalgam: one that waits holds up no other, and nobody waits for a kernel that is dead. */
#include "fake_linux.h"

#include "../../linux/amalgam/stream.c"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

struct amalgam amalgam;
unsigned long host_jiffies = 5;
int (*host_nmi)(unsigned int type, struct pt_regs *regs);
static struct attach_shared shared;
static struct reader *writer, *other;
enum { COPYING = 1, FOR_ROOM }; /* a write sleeps first for the program's page, then for room */
static unsigned sleeps, at;
static void (*meanwhile)(void); /* what others do in the sleep with number `at` of a write */

bool fail_here(void) { return false; }
void split_connect(void) {}
bool split_disconnect(void) { return true; }
static unsigned bells;
void split_bell(void) { bells++; }
void host_waits_for_a_sleeper(void) { fail_msg("a thread waits for one that sleeps"); }
void host_sleeps(void)
{
    if (++sleeps == at)
        meanwhile();
}

static int setup(void **state)
{
    memset(&shared, 0, sizeof(shared));
    amalgam.state = AMALGAM_ATTACHED;
    at = 0;
    assert_int_equal(stream_start(), 0);
    stream_connect(&shared);
    writer = reader_new();
    other = reader_new();
    return 0;
}

static int teardown(void **state)
{
    reader_free(writer);
    reader_free(other);
    stream_disconnect();
    stream_stop();
    return 0;
}

static void take_all(void) { smp_store_release(&shared.in.tail, shared.in.head); }
/* Write until nothing fits any more into the kernel's ring. */
static void fill(void)
{
    static const char bytes[ATTACH_IN_SIZE];
    take_all();
    assert_in_range(reader_write(writer, bytes, sizeof(bytes), false), ATTACH_IN_SIZE / 2, ATTACH_IN_SIZE);
    assert_int_equal(reader_write(writer, bytes, PIECE, false), -EAGAIN);
}

/* Write a piece, which others hold up or interrupt: `others` runs in that sleep. */
static ssize_t write_while(void (*others)(void), unsigned sleep)
{
    static const char piece[PIECE] = { 'x' };
    meanwhile = others;
    at = sleep;
    sleeps = 0;
    ssize_t n = reader_write(writer, piece, sizeof(piece), true);
    assert_true(sleeps >= sleep);
    at = 0;
    return n;
}

static void a_write_waits_for_room(void **state)
{
    fill();
    assert_int_equal(write_while(take_all, FOR_ROOM), PIECE);
    assert_int_equal(shared.in_bytes[(shared.in.head - PIECE) % ATTACH_IN_SIZE], 'x');
}

static void close_other(void)
{
    reader_free(other);
    other = reader_new();
    take_all();
}
static void a_file_is_closed_while_another_one_waits(void **state)
{
    for (unsigned sleep = COPYING; sleep <= FOR_ROOM; sleep++) {
        fill();
        assert_int_equal(write_while(close_other, sleep), PIECE);
    }
}

static void disconnect(void) { stream_disconnect(); }
static void a_write_that_waits_ends_when_the_kernel_is_unloaded(void **state)
{
    for (unsigned sleep = COPYING; sleep <= FOR_ROOM; sleep++) {
        stream_connect(&shared);
        fill();
        assert_int_equal(write_while(disconnect, sleep), -ENXIO);
    }
}

static ssize_t say(struct reader *r, const char *text) { return reader_write(r, text, strlen(text), true); }

static void die(void) { shared.dead = 1; }
static void a_write_that_waits_ends_when_the_kernel_dies(void **state)
{
    fill();
    assert_int_equal(write_while(die, FOR_ROOM), -ENXIO);
    assert_true(reader_poll(writer, NULL, NULL) & EPOLLOUT); /* it would not wait */
    assert_int_equal(say(other, "x"), -ENXIO);
}

static void another_speaks(void) { assert_int_equal(say(other, "ab"), 2); }
static void each_file_keeps_its_source_though_another_writes_in_between(void **state)
{
    static const char want[] = "\xff\xfe"
                               "ab\xff\x01x";
    assert_int_equal(say(writer, "\xff\x01"), 2);
    u32 from = shared.in.head;
    assert_int_equal(write_while(another_speaks, COPYING), PIECE);
    assert_memory_equal(shared.in_bytes + from, want, sizeof(want) - 1);
}

/* Its NMI went to a CPU that had gone. The kernel does not ring before Linux has taken the last ring. */
static void a_doorbell_that_reached_no_cpu_is_taken_by_a_look(void **state)
{
    bells = 0;
    bell_look();
    assert_int_equal(bells, 0);
    shared.bell = 1;
    bell_look();
    assert_int_equal(shared.bell, 0);
    assert_int_equal(bells, 1);
    stream_disconnect();
    bell_look();
    stream_connect(&shared);
}

static int nmi(void) { return host_nmi(NMI_LOCAL, NULL); }

static void an_nmi_whose_ring_was_found_by_another_cpu_is_known(void **state)
{
    bells = 0;
    shared.bell = 1;
    bell_look();
    assert_int_equal(bells, 1);
    assert_int_equal(nmi(), NMI_HANDLED); /* it was under way */
    assert_int_equal(nmi(), NMI_DONE);    /* this one is somebody else's */
    shared.bell = 1;
    bell_look();
    host_jiffies += 2 * HZ;
    assert_int_equal(nmi(), NMI_DONE); /* the ring's was lost with its CPU */
    bell_look();
    assert_int_equal(nmi(), NMI_DONE); /* nothing was taken */
    shared.bell = 1;
    assert_int_equal(nmi(), NMI_HANDLED);
    assert_int_equal(bells, 3);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(a_write_waits_for_room),
        T(a_file_is_closed_while_another_one_waits),
        T(a_write_that_waits_ends_when_the_kernel_is_unloaded),
        T(a_write_that_waits_ends_when_the_kernel_dies),
        T(a_doorbell_that_reached_no_cpu_is_taken_by_a_look),
        T(an_nmi_whose_ring_was_found_by_another_cpu_is_known),
        T(each_file_keeps_its_source_though_another_writes_in_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
