/* SPDX-License-Identifier: MIT */
/*
 * How long text keeps interrupts off: single steps (stretch.h) over chunks that a speaker makes dear, line ends, which
 * are a name and two line ends on the human port, and bytes that look like tags, which are two on the tagged channel.
 * docs/isolation.md has the bound.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <core/console.h>
#include <core/cpu.h>
#include <stdio.h>
#include <string.h>

#include "stretch.h"

/* docs/isolation.md. A device of a guest holds the console until all of a piece is in the rings; the bound of its exit
 * has room for that. */
#define WRITTEN 2000
#define OFFERED 3700
#define CHUNK   64
enum { SPEAKER, FOCUSED };

struct cpu *host_this_cpu;
bool host_irq_on;
static struct cpu me;
static unsigned room; /* bytes that a port takes at once */

static void (*in_use)(void); /* called once while a core has the console */

unsigned hal_console_put(unsigned port, const u8 *bytes, unsigned n)
{
    void (*call)(void) = in_use;
    in_use = NULL;
    if (call)
        call();
    return MIN(n, room);
}
void hal_console_irqs(unsigned port, unsigned which) {}
int hal_console_getc(unsigned port) { return -1; }
bool hal_console_present(unsigned port) { return true; }

static void drain(void)
{
    host_irq_on = true;
    room = CHUNK;
    for (unsigned i = 0; i < 400; i++) {
        console_poll(0);
        console_poll(1);
    }
}

static int setup(void **state)
{
    host_this_cpu = &me;
    console_init();
    console_register(SPEAKER, "a-name-of-thirty-one-characters", NULL, NULL);
    console_register(FOCUSED, "focus", NULL, NULL);
    console_focus(FOCUSED);
    console_queue(true);
    drain();
    return 0;
}

/* What `first` and `second` alternately keep interrupts off for, at most, whatever the ports take and whoever has the
 * focus: written with interrupts on (a hypercall, a process), and offered by a device. */
static void alternate(char first, char second)
{
    char text[CHUNK];
    unsigned worst[2] = { 0 };
    for (unsigned i = 0; i < CHUNK; i++)
        text[i] = i % 2 ? second : first;
    for (unsigned i = 0; i < 12; i++) {
        unsigned speaker = i & 1 ? SPEAKER : FOCUSED;
        bool offers = i & 2;
        room = i / 4 * 16;
        host_irq_on = !offers;
        count();
        if (offers)
            console_offer(speaker, text, CHUNK);
        else
            console_write(speaker, text, CHUNK);
        unsigned found = counted();
        assert_in_range(found, 200, offers ? OFFERED : WRITTEN);
        worst[offers] = MAX(worst[offers], found);
        drain();
    }
    print_message("written %u, offered %u instructions\n", worst[false], worst[true]);
}

static void letters_are_written_in_bounded_pieces(void **state) { alternate('x', 'y'); }
static void line_ends_are_written_in_bounded_pieces(void **state) { alternate('\n', '\n'); }
static void short_lines_are_written_in_bounded_pieces(void **state) { alternate('x', '\n'); }
static void tags_are_written_in_bounded_pieces(void **state) { alternate('\xff', '\xff'); }
static void tags_and_line_ends_are_written_in_bounded_pieces(void **state) { alternate('\xff', '\n'); }
static void returns_are_written_in_bounded_pieces(void **state) { alternate('\r', '\r'); }

/* Another core has the console and stops. A speaker that waits for it takes its interrupts; a thousand of them end the
 * test, since nobody ends that wait here. */
static jmp_buf tired;
static unsigned interrupts, waited;
void (*host_at_enable)(void);
static void interrupt(void)
{
    if (++interrupts == 1000)
        longjmp(tired, 1);
}

static void speak_beside(void)
{
    static struct cpu other;
    host_this_cpu = &other;
    host_irq_on = true;
    host_at_enable = interrupt;
    if (!setjmp(tired)) {
        count();
        console_write(SPEAKER, "x", 1);
    }
    waited = counted();
    host_at_enable = NULL;
    host_irq_on = false;
    host_this_cpu = &me;
}

static void who_waits_for_the_console_takes_interrupts(void **state)
{
    interrupts = 0;
    in_use = speak_beside;
    host_irq_on = true;
    console_write(FOCUSED, "x", 1);
    assert_int_equal(interrupts, 1000);
    assert_in_range(waited, 10, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(letters_are_written_in_bounded_pieces, setup),
        cmocka_unit_test_setup(line_ends_are_written_in_bounded_pieces, setup),
        cmocka_unit_test_setup(short_lines_are_written_in_bounded_pieces, setup),
        cmocka_unit_test_setup(tags_are_written_in_bounded_pieces, setup),
        cmocka_unit_test_setup(tags_and_line_ends_are_written_in_bounded_pieces, setup),
        cmocka_unit_test_setup(returns_are_written_in_bounded_pieces, setup),
        cmocka_unit_test_setup(who_waits_for_the_console_takes_interrupts, setup),
    };
    stretch_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
