/* SPDX-License-Identifier: MIT */
/*
 * console.c - the human port and the tagged channel (core/console.h).
 *
 * Output is copied in chunks, for the human port in lines, and given to the ports in pieces, each as long as a port
 * takes at once. Interrupts are on and the lock is free in between, so a source that writes much delays a window by the
 * time of one line or piece, not of its whole text.
 */
#include <core/console.h>
#include <core/cpu.h>
#include <core/lock.h>
#include <string.h>

#include "console_hold.h"
#include "console_ring.h"
#include "console_text.h"

#define CTRL_BRACKET 0x1d
#define INPUT        16 /* bytes taken in one interrupt: a FIFO's size; if more wait, the port interrupts again */
#define CHUNK        64
#define PATIENCE     100000                /* polls for a holder of the lock that a panic has not stopped */
#define KERNEL_CHUNK 256                   /* lines of the kernel are not interrupted by others */
#define N_SOURCES    (CONSOLE_SOURCES + 1) /* the last one is the kernel */

static struct source sources[N_SOURCES];
static struct spinlock lock;
static unsigned focus = CONSOLE_KERNEL, before_monitor;
static unsigned in_tag = CONSOLE_KERNEL;
static bool in_escape;

static __noinline struct source *source_of(unsigned id)
{
    return id == CONSOLE_KERNEL ? &sources[CONSOLE_SOURCES] : id < CONSOLE_SOURCES ? &sources[id] : NULL;
}

/* Nested use by the core that holds the lock is allowed, so that a trap handler can report. */
static unsigned long console_lock(void)
{
    bool patient = MAX_CPUS > 1 && irq_enabled();
    unsigned long flags = irq_save();
    if (this_cpu()->console_lock_depth == 0) {
        if (patient)
            spin_lock_by_tries(&lock);
        else
            spin_lock(&lock);
    }
    this_cpu()->console_lock_depth++;
    return flags;
}

static void console_release(unsigned long flags)
{
    if (--this_cpu()->console_lock_depth == 0)
        spin_unlock(&lock);
    irq_restore(flags);
}

/* The interrupt of received bytes, but of a port that is held. */
static unsigned receive_irq(unsigned port) { return CONSOLE_HOLD && hold_is_on(port) ? 0 : CONSOLE_IRQ_RX; }

/* If bytes wait for the port, let it interrupt when it can take more. */
static __noinline void arm_transmit(unsigned port)
{
    if (ring_waiting(port))
        hal_console_irqs(port, receive_irq(port) | CONSOLE_IRQ_TX);
}

/* Give the new bytes to the ports, then unlock. With interrupts off this gives only two pieces, since other speakers
 * may add more all the time; two, because the ring may wrap between them and a port may have no interrupt for the
 * rest (as beneath Linux). */
static void console_unlock(unsigned long flags)
{
    unsigned pieces = 2;
    while (pieces && (ring_hand_over(HUMAN) | ring_hand_over(TAGGED))) {
        console_release(flags);
        pieces -= !irq_enabled();
        irq_window();
        console_lock();
    }
    arm_transmit(HUMAN);
    arm_transmit(TAGGED);
    console_release(flags);
}

void console_break_lock(void)
{
    unsigned *depth = &this_cpu()->console_lock_depth;
    for (unsigned polls = PATIENCE; !*depth && polls && spin_is_taken(&lock); polls--)
        cpu_relax();
    *depth = 1;
    console_queue(false);
}

void console_flush(void)
{
    bool waits = true;
    while (waits) {
        unsigned long flags = console_lock();
        waits = ring_flush();
        console_release(flags);
    }
}

/* Lock the console. `patient`: wait until there is room for a chunk. */
static unsigned long lock_for_chunk(bool patient)
{
    unsigned long flags = console_lock();
    while (patient && ring_busy()) {
        console_release(flags);
        cpu_relax();
        console_lock();
    }
    return flags;
}

/* The text may be in a guest's memory and change while we read it, so each byte is read once, here. */
static void copy_once(char *copy, const char *text, size_t n)
{
    memcpy(copy, text, n);
    barrier();
}

void console_write(unsigned id, const char *text, size_t len)
{
    struct source *s = source_of(id);
    bool patient = irq_enabled();
    char copy[KERNEL_CHUNK];
    while (s && len) {
        size_t n = MIN(len, id == CONSOLE_KERNEL ? KERNEL_CHUNK : CHUNK);
        copy_once(copy, text, n);
        unsigned long flags = lock_for_chunk(patient);
        text_tagged(id, copy, n);
        console_unlock(flags);
        for (size_t shown = 0; shown < n;) {
            flags = lock_for_chunk(patient);
            shown += text_shown(id, s, id == focus, copy + shown, n - shown);
            console_unlock(flags);
        }
        text += n;
        len -= n;
    }
}

/* Give the ports two pieces, as console_unlock() does, but without letting others in between. */
static void unlock_offered(void)
{
    for (unsigned pieces = 2; pieces && (ring_hand_over(HUMAN) | ring_hand_over(TAGGED)); pieces--)
        ;
    arm_transmit(HUMAN);
    arm_transmit(TAGGED);
    this_cpu()->console_lock_depth--;
    spin_unlock(&lock);
}

size_t console_offer(unsigned id, const char *text, size_t len)
{
    struct source *s = source_of(id);
    char copy[CHUNK];
    size_t n = 0;
    if (!spin_try(&lock))
        return 0;
    this_cpu()->console_lock_depth++;
    if (!ring_busy()) {
        n = MIN(len, CHUNK);
        copy_once(copy, text, n);
        n = text_shown(id, s, id == focus, copy, n);
        text_tagged(id, copy, n);
    }
    unlock_offered();
    return n;
}

void console_write_human(const char *text)
{
    unsigned long flags = console_lock();
    if (focus == CONSOLE_KERNEL)
        text_say(text);
    console_unlock(flags);
}

__init_text void console_init(void) { sources[CONSOLE_SOURCES].name = "amalgam"; }

__init_text void console_register(unsigned id, const char *name, console_input_fn input, void *arg)
{
    struct source *s = source_of(id);
    if (!s)
        return;
    unsigned long flags = console_lock();
    s->name = name;
    s->input = input;
    s->arg = arg;
    console_unlock(flags);
}

void console_forget(unsigned id)
{
    struct source *s = source_of(id);
    if (!s)
        return;
    unsigned long flags = console_lock();
    if (s->used)
        text_line(s);
    if (before_monitor == id)
        before_monitor = CONSOLE_KERNEL;
    if (focus == id) {
        text_end_line();
        focus = CONSOLE_KERNEL;
    }
    *s = (struct source){ 0 };
    console_unlock(flags);
}

void console_focus(unsigned id)
{
    struct source *s = source_of(id);
    if (!s)
        return;
    unsigned long flags = console_lock();
    text_end_line();
    if (id == CONSOLE_KERNEL && focus != id)
        before_monitor = focus;
    focus = id;
    text_half_line(s);
    console_unlock(flags);
}

static void console_deliver(unsigned id, unsigned port, u8 byte)
{
    struct source *s = source_of(id);
    if (s && s->input)
        s->input(id == CONSOLE_KERNEL ? (void *)(uintptr_t)port : s->arg, byte);
}

static void human_input(u8 byte)
{
    if (byte != CTRL_BRACKET) {
        console_deliver(focus, CONSOLE_MONITOR_HUMAN, byte);
        return;
    }
    console_focus(focus == CONSOLE_KERNEL ? before_monitor : CONSOLE_KERNEL);
    if (focus == CONSOLE_KERNEL)
        console_deliver(CONSOLE_KERNEL, CONSOLE_MONITOR_HUMAN, '\r'); /* an empty line: it prompts */
}

static void tagged_input(u8 byte)
{
    if (in_escape) {
        in_escape = false;
        if (byte != TAG) {
            in_tag = byte;
            return;
        }
    } else if (byte == TAG) {
        in_escape = true;
        return;
    }
    console_deliver(in_tag, CONSOLE_MONITOR_TAGGED, byte);
}

static void poll_again(void *port) { console_poll((unsigned)(uintptr_t)port); }

/* Returns whether who gets the port's next byte has no room for it. */
static bool is_held(unsigned port)
{
    return CONSOLE_HOLD && hold_looks(port, port == HUMAN ? focus : in_tag, poll_again);
}

void console_poll(unsigned port)
{
    hal_console_irqs(port, 0);
    for (unsigned n = 0; n < INPUT && !is_held(port); n++) {
        int c = hal_console_getc(port);
        if (c < 0)
            break;
        if (port == HUMAN)
            human_input((u8)c);
        else
            tagged_input((u8)c);
    }
    unsigned long flags = console_lock();
    ring_drain(port);
    hal_console_irqs(port, receive_irq(port));
    arm_transmit(port);
    console_release(flags);
}
