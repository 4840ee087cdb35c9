/* SPDX-License-Identifier: MIT */
/*
 * console.c - the human port and the tagged channel (core/console.h).
 *
 * Output is taken in chunks with interrupts on in between, so that a chatty source
 * delays a window by the time of one chunk, not of its whole text.
 */
#include <core/console.h>
#include <core/cpu.h>
#include <core/lock.h>
#include <string.h>

#include "console_ring.h"

#define TAG          0xff
#define CTRL_BRACKET 0x1d
#define CHUNK        64
#define LINE         120
#define N_SOURCES    (CONSOLE_SOURCES + 1) /* the last one is the kernel */

struct source {
    const char *name;
    console_input_fn input;
    void *arg;
    unsigned used;
    char line[LINE]; /* unfocused text until its line is whole */
};

static struct source sources[N_SOURCES];
static struct spinlock lock;
static unsigned focus = CONSOLE_KERNEL, before_monitor;
static bool mid_line;          /* the human port's cursor is not in column 0 */
static unsigned out_tag = TAG; /* whose bytes the host takes the next ones for; TAG: nobody's */
static unsigned in_tag = CONSOLE_KERNEL;
static bool in_escape;

static __noinline struct source *source_of(unsigned id)
{
    return id == CONSOLE_KERNEL ? &sources[CONSOLE_SOURCES] : id < CONSOLE_SOURCES ? &sources[id] : NULL;
}

/* A trap while this core holds the lock may still report: nested use is let through. */
static unsigned long console_lock(void)
{
    unsigned long flags = irq_save();
    if (this_cpu()->console_lock_depth++ == 0)
        spin_lock(&lock);
    return flags;
}

static void console_unlock(unsigned long flags)
{
    for (unsigned port = 0; port < 2; port++)
        if (ring_waiting(port)) /* its interrupt goes on with that */
            hal_console_irqs(port, CONSOLE_IRQ_RX | CONSOLE_IRQ_TX);
    if (--this_cpu()->console_lock_depth == 0)
        spin_unlock(&lock);
    irq_restore(flags);
}

void console_break_lock(void)
{
    console_queue(false);
    lock = (struct spinlock)SPINLOCK_INIT;
    this_cpu()->console_lock_depth = 0;
}

static void human(const char *text, size_t len, bool add_cr)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\n' && add_cr)
            ring_send(HUMAN, '\r');
        ring_send(HUMAN, (u8)text[i]);
        mid_line = text[i] != '\n' && (mid_line || text[i] != '\r');
    }
}

static void say(const char *text) { human(text, strlen(text), true); }

static void end_line(void)
{
    if (mid_line)
        say("\n");
}

static void show_line(struct source *s)
{
    end_line();
    say("[");
    say(s->name ? s->name : "?");
    say("] ");
    human(s->line, s->used, false);
    say("\n");
    s->used = 0;
}

static void background(struct source *s, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\r')
            continue;
        if (text[i] != '\n')
            s->line[s->used++] = text[i];
        if (text[i] == '\n' || s->used == LINE)
            show_line(s);
    }
}

static void tagged(unsigned id, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        /* Twice after bytes were lost: the first may meet half a tag, and end that. */
        for (unsigned times = ring_lost(TAGGED) ? 2 : id != out_tag; times; times--) {
            out_tag = id;
            ring_send(TAGGED, TAG);
            ring_send(TAGGED, (u8)id);
        }
        if ((u8)text[i] == TAG)
            ring_send(TAGGED, TAG);
        ring_send(TAGGED, (u8)text[i]);
    }
}

bool console_busy(void)
{
    unsigned long flags = console_lock();
    bool is = ring_busy();
    console_unlock(flags);
    return is;
}

static void write_chunk(unsigned id, struct source *s, const char *text, size_t len)
{
    bool patient = irq_enabled();
    unsigned long flags = console_lock();
    while (patient && ring_busy()) {
        console_unlock(flags);
        cpu_relax(); /* QEMU takes no interrupt in an STI, RET, CLI that nothing leaves its translated code between */
        flags = console_lock();
    }
    if (id == focus)
        human(text, len, id == CONSOLE_KERNEL);
    else
        background(s, text, len);
    if (hal_console_present(TAGGED))
        tagged(id, text, len);
    console_unlock(flags);
}

/* The text may lie in a guest's memory and change while we read: every byte is read once, here. */
void console_write(unsigned id, const char *text, size_t len)
{
    struct source *s = source_of(id);
    char copy[CHUNK];
    if (s && id == CONSOLE_KERNEL) { /* nobody else's bytes: its lines stay whole */
        write_chunk(id, s, text, len);
        return;
    }
    while (s && len) {
        size_t n = MIN(len, sizeof(copy));
        memcpy(copy, text, n);
        barrier();
        write_chunk(id, s, copy, n);
        text += n;
        len -= n;
    }
}

void console_write_human(const char *text, size_t len)
{
    unsigned long flags = console_lock();
    if (focus == CONSOLE_KERNEL)
        human(text, len, true);
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
        show_line(s);
    if (before_monitor == id)
        before_monitor = CONSOLE_KERNEL;
    if (focus == id) {
        end_line();
        focus = CONSOLE_KERNEL;
    }
    *s = (struct source){ 0 };
    console_unlock(flags);
}

unsigned console_focused(void) { return READ_ONCE(focus); }

void console_focus(unsigned id)
{
    struct source *s = source_of(id);
    if (!s)
        return;
    unsigned long flags = console_lock();
    end_line();
    if (id == CONSOLE_KERNEL && focus != id)
        before_monitor = focus;
    focus = id;
    human(s->line, s->used, false); /* the half line it had said so far */
    s->used = 0;
    console_unlock(flags);
}

static void deliver(unsigned id, unsigned port, u8 byte)
{
    struct source *s = source_of(id);
    if (s && s->input)
        s->input(id == CONSOLE_KERNEL ? (void *)(uintptr_t)port : s->arg, byte);
}

static void human_input(u8 byte)
{
    if (byte != CTRL_BRACKET) {
        deliver(focus, CONSOLE_MONITOR_HUMAN, byte);
        return;
    }
    console_focus(focus == CONSOLE_KERNEL ? before_monitor : CONSOLE_KERNEL);
    if (focus == CONSOLE_KERNEL)
        deliver(CONSOLE_KERNEL, CONSOLE_MONITOR_HUMAN, '\r'); /* an empty line: it prompts */
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
    deliver(in_tag, CONSOLE_MONITOR_TAGGED, byte);
}

void console_poll(unsigned port)
{
    hal_console_irqs(port, 0);
    for (int c = hal_console_getc(port); c >= 0; c = hal_console_getc(port)) {
        if (port == HUMAN)
            human_input((u8)c);
        else
            tagged_input((u8)c);
    }
    unsigned long flags = console_lock();
    ring_drain(port);
    hal_console_irqs(port, CONSOLE_IRQ_RX);
    console_unlock(flags);
}
