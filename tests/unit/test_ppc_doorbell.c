/* SPDX-License-Identifier: MIT */
/* The ring of the cores' second serial ports: who is meant looks, the others pass it on, nonsense ends. */
#include <arch/cpu.h>
#include <board/board.h>
#include <board/irq.h>
#include <partition/bakery.h>
#include <partition/partition.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

struct partition_core core;
u32 core_count;
static u8 in[64], out[64];
static u32 n_in, n_out, taken, looks;

u32 fake_time;
void partition_alarm(u32 now) { looks++; }

u8 io_read8(u32 address)
{
    if (address == UART1_BASE + 5)
        return taken < n_in;
    assert_int_equal(address, UART1_BASE);
    return in[taken++];
}
void io_write8(u32 address, u8 value)
{
    if (address == UART1_BASE)
        out[n_out++] = value;
}

static int setup(void **state)
{
    n_in = n_out = taken = looks = 0;
    core.id = 1;
    core_count = 3;
    return 0;
}
static void arrive(const char *bytes, u32 n)
{
    memcpy(in, bytes, n);
    n_in = n;
    taken = 0;
}

/* How often this core looks then. */
static u32 interrupt(void)
{
    looks = 0;
    doorbell_poll();
    doorbell_answer();
    return looks;
}

static void who_is_meant_looks(void **state)
{
    arrive("\1", 1);
    assert_int_equal(interrupt(), 1);
    assert_int_equal(n_out, 0);
}

static void others_rings_are_passed_on(void **state)
{
    arrive("\0\2", 2);
    assert_int_equal(interrupt(), 0);
    assert_int_equal(n_out, 2);
    assert_memory_equal(out, "\0\2", 2);
}

static void what_is_no_core_ends_here(void **state)
{
    arrive("\3\xff\1", 3);
    assert_int_equal(interrupt(), 1);
    assert_int_equal(n_out, 0);
}

static void nobody_rings_at_home(void **state)
{
    hal_doorbell(1);
    assert_int_equal(n_out, 0);
    hal_doorbell(2);
    assert_int_equal(n_out, 1);
}

static void a_storm_is_taken_in_parts(void **state)
{
    arrive("\2\2\2\2\2\2\2\2\2\2\2\2\2\2\2\2\2\2\2\2", 20);
    interrupt();
    assert_int_equal(taken, 16);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = { T(who_is_meant_looks), T(others_rings_are_passed_on),
                                        T(what_is_no_core_ends_here), T(nobody_rings_at_home),
                                        T(a_storm_is_taken_in_parts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
