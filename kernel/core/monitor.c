/* SPDX-License-Identifier: MIT */
/*
 * monitor.c - the control console's input and its own commands; report.c prints their tables.
 *
 * Bytes of both ports arrive in interrupt context in one ring. The monitor's thread assembles lines, separately for
 * each port.
 */
#include <core/channel.h>
#include <core/console.h>
#include <core/cpu.h>
#include <core/domain.h>
#include <core/log.h>
#include <core/monitor.h>
#include <core/trace.h>
#include <errors.h>
#include <hal/cpu.h>
#include <string.h>

#include "report.h"

#define RING   256
#define LINE   80
#define PROMPT "amalgam> "

static struct {
    struct spinlock lock; /* of the writers; there is one reader */
    struct semaphore available;
    u32 head, tail;
    u16 byte[RING]; /* port << 8 | byte */
} ring;

static struct line {
    unsigned used;
    char text[LINE];
} lines[2];

static int cmd_help(const char *arg);

static struct domain *domain_named(const char *name)
{
    struct domain *d = *name ? domain_find(name) : NULL;
    if (!d)
        printk("no domain \"%s\"; `list` shows them\n", name);
    return d;
}

static int focus(struct domain *d)
{
    console_focus(d->id);
    return 0;
}

static int cmd_channel(const char *name, bool granted)
{
    int err = channel_ops ? channel_ops->set(name, granted) : -ENOENT;
    if (err)
        printk("no tunnel \"%s\"\n", name);
    return err;
}

static int cmd_grant(const char *arg) { return cmd_channel(arg, true); }
static int cmd_withdraw(const char *arg) { return cmd_channel(arg, false); }

static int cmd_stats(const char *arg)
{
    struct domain *d = NULL;
    if (*arg) {
        d = domain_named(arg);
        if (!d)
            return -ENOENT;
    }
    report_threads(d);
    if (d && d->ops)
        d->ops->stats(d);
    return 0;
}

static int cmd_trace(const char *arg)
{
    bool on = !strcmp(arg, "on");
    if (on || !strcmp(arg, "off"))
        return trace_enable(on);
    if (!strcmp(arg, "dump")) {
        trace_dump();
        return 0;
    }
    printk("trace is %s; say trace on, off or dump\n", trace_on ? "on" : "off");
    return *arg ? -EINVAL : 0;
}

static int cmd_quit(const char *arg)
{
    board_off();
    return -EOPNOTSUPP;
}

static const struct monitor_command commands[]
    __attribute__((used, section("monitor_commands"), aligned(sizeof(void *)))) = {
        { "help", "", "this list", .run = cmd_help },
        { "list", "", "domains and how their last run ended", .run = report_domains },
        { "start", "NAME", "run a stopped domain", .on_domain = domain_start },
        { "stop", "NAME", "stop a domain", .on_domain = domain_stop },
        { "restart", "NAME", "stop and run again", .on_domain = domain_restart },
        { "focus", "NAME", "give a domain the console", .on_domain = focus },
        { "stats", "[NAME]", "threads, of a domain also its counters", .run = cmd_stats },
        { "trace", "[on|off|dump]", "event trace", .run = cmd_trace },
        { "grant", "TUNNEL", "let a tunnel's ends use it again", .run = cmd_grant },
        { "withdraw", "TUNNEL", "take a tunnel from both its ends", .run = cmd_withdraw },
        { "cpus", "", "cores and their windows", .run = report_cpus },
        { "mem", "", "free memory", .run = report_memory },
        { "quit", "", "power the board off", .run = cmd_quit },
    };

static int cmd_help(const char *arg)
{
    for (const struct monitor_command *c = __start_monitor_commands; c < __stop_monitor_commands; c++)
        printk("%-8s %-14s %s\n", c->name, c->arg, c->help);
    printk("Ctrl-] leaves the control console and comes back\n");
    return 0;
}

static int execute(const struct monitor_command *c, const char *arg)
{
    if (!c->on_domain)
        return c->run(arg);
    struct domain *d = domain_named(arg);
    return d ? c->on_domain(d) : -ENOENT;
}

/* End the first word with a NUL. Returns the start of the second word. */
static char *cut_word(char *line)
{
    while (*line && *line != ' ')
        line++;
    if (*line)
        *line++ = '\0';
    while (*line == ' ')
        line++;
    return line;
}

/* A line may begin with #WORD and a blank. The last line of its answer then ends with #WORD, so that a program can
 * tell its own answer from a late answer to an earlier program. */
void monitor_execute(char *line)
{
    const char *tag = "";
    while (*line == ' ')
        line++;
    if (*line == '#') {
        tag = line;
        line = cut_word(line);
    }
    char *arg = cut_word(line);
    for (size_t n = strlen(arg); n && arg[n - 1] == ' ';)
        arg[--n] = '\0';
    for (const struct monitor_command *c = __start_monitor_commands; c < __stop_monitor_commands; c++) {
        if (strcmp(line, c->name))
            continue;
        int err = execute(c, arg);
        if (err)
            printk("error: %s: %d%s\n", line, err, tag);
        else
            printk("ok%s\n", tag);
        return;
    }
    printk("error: no command \"%s\"; `help` lists them%s\n", line, tag);
}

static void input(void *port, u8 byte)
{
    unsigned long flags = spin_lock_irqsave(&ring.lock);
    bool room = ring.head - __atomic_load_n(&ring.tail, __ATOMIC_ACQUIRE) < RING;
    if (room)
        ring.byte[ring.head++ % RING] = (u16)((uintptr_t)port << 8 | byte);
    spin_unlock_irqrestore(&ring.lock, flags);
    if (room)
        sem_post(&ring.available);
}

/* Wait for a byte. Returns false if this thread is to end. */
static bool next_byte(u16 *b)
{
    if (sem_wait(&ring.available, TICKS_NEVER))
        return false;
    *b = ring.byte[ring.tail % RING];
    __atomic_store_n(&ring.tail, ring.tail + 1, __ATOMIC_RELEASE); /* now its place may be written again */
    return true;
}

static __noinline void echo(unsigned port, const char *text)
{
    if (port == CONSOLE_MONITOR_HUMAN)
        console_write_human(text);
}

static void line_input(unsigned port, u8 byte)
{
    struct line *l = &lines[port];
    if (byte == '\r' || byte == '\n') {
        echo(port, "\n");
        l->text[l->used] = '\0';
        if (l->used)
            monitor_execute(l->text);
        l->used = 0;
        echo(port, PROMPT);
    } else if (byte == '\b' || byte == 0x7f) {
        if (l->used) {
            l->used--;
            echo(port, "\b \b");
        }
    } else if (byte >= ' ' && byte < 0x7f && l->used < LINE - 1) {
        char c[2] = { (char)byte, '\0' };
        l->text[l->used++] = (char)byte;
        echo(port, c);
    }
}

static void monitor(void *arg)
{
    u16 b;
    while (next_byte(&b))
        line_input(b >> 8, (u8)b);
}

__init_text void monitor_start(void)
{
    sem_init(&ring.available, 0);
    ring.head = ring.tail = 0;
    lines[0].used = lines[1].used = 0;
    struct thread *t = thread_create("monitor", 0, PRIO_MAX, monitor, NULL, NULL, false);
    if (!t)
        panic("no memory for the monitor thread");
    console_register(CONSOLE_KERNEL, "amalgam", input, NULL);
    thread_start(t);
}
