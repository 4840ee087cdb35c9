/* SPDX-License-Identifier: MIT */
/* Numbers that come round within the life of a machine, from just before their end (docs/counters.md): the console's
 * rings, and locks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <core/cpu.h>
#include <core/lock.h>
#include <string.h>

static char out[65536];
static size_t n_out;
static unsigned room; /* what the port takes at once */
unsigned hal_console_put(unsigned port, const u8 *bytes, unsigned n)
{
    n = MIN(n, room);
    memcpy(out + n_out, bytes, n);
    n_out += n;
    return n;
}

#include "core/console_ring.c"

static struct cpu core;
struct cpu *host_this_cpu = &core;
bool host_irq_on;

static const u32 late[] = { 0x7fffff00, 0xffff0000, 0xffffff00, 0xfffffff0, 0xffffffff };

/* After 4 GiB of text, which takes four days at 115,200 baud. */
static void a_ring_keeps_its_bytes_over_the_end_of_its_numbers(void **state)
{
    console_queue(true);
    for (unsigned i = 0; i < ARRAY_SIZE(late); i++) {
        rings[HUMAN] = (struct ring){ .head = late[i], .tail = late[i] };
        n_out = 0;
        u32 sent = 0;
        for (unsigned n = 0; n < 2000; n++) {
            u8 text[7] = { (u8)n, (u8)(n >> 8), 3, 4, 5, 6, 7 };
            room = n % 19;
            for (u32 at = 0; at < sizeof(text);) /* up to the end of the bytes, then the rest */
                at += ring_send(HUMAN, text + at, sizeof(text) - at);
            sent += sizeof(text);
            ring_drain(HUMAN);
            assert_int_equal(ring_waiting(HUMAN), sent - n_out);
        }
        room = 100;
        while (ring_waiting(HUMAN))
            assert_true(ring_drain(HUMAN));
        assert_int_equal(n_out, sent);
        for (unsigned at = 0; at < n_out; at += 7)
            assert_true((u8)out[at] == (u8)(at / 7) && (u8)out[at + 1] == at / 7 >> 8 && out[at + 6] == 7);
    }
}

/* After 2^32 locks: an hour at a million a second. */
static void a_lock_is_taken_and_given_over_the_end_of_its_tickets(void **state)
{
    for (unsigned i = 0; i < ARRAY_SIZE(late); i++) {
        struct spinlock l = { .next = late[i], .owner = late[i] };
        for (unsigned n = 0; n < 40; n++) {
            spin_lock(&l);
            assert_int_equal(l.next - l.owner, 1); /* another one would wait */
            spin_unlock(&l);
            assert_int_equal(l.next, l.owner);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ring_keeps_its_bytes_over_the_end_of_its_numbers),
        cmocka_unit_test(a_lock_is_taken_and_given_over_the_end_of_its_tickets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
