/* SPDX-License-Identifier: MIT */
/* domain_test.h - the sample system's domains on the fake machine, each with two threads that leave when they are told
 * to, or stay; and the control console's commands. */
#ifndef AMALGAM_TESTS_DOMAIN_TEST_H
#define AMALGAM_TESTS_DOMAIN_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host.h"
#include "sample_system.h"
#include <core/channel.h>
#include <core/console.h>
#include <core/domain.h>
#include <core/init.h>
#include <core/log.h>
#include <core/monitor.h>
#include <errors.h>
#include <hal/upcalls.h>
#include <life.h>

static struct sample s;
static unsigned starts[SYS_MAX_DOMAINS];
static struct thread *threads[SYS_MAX_DOMAINS][2];
static int start_error;
static const char *start_why; /* NULL: it has no words for its error */
static u64 start_takes;       /* ns */
static bool elsewhere;        /* other kernels run it */

static bool stays; /* its threads do not leave when they are told to */
static unsigned kills;

static void vcpu(void *arg)
{
    struct domain *d = arg;
    struct thread *self = thread_self();
    while (!self->stop || stays)
        thread_block(TICKS_NEVER);
    domain_thread_gone(d);
}
static int create_error;
static int create(struct domain *d) { return d->id ? 0 : create_error; }
static int start(struct domain *d)
{
    if (start_takes)
        thread_sleep_ns(start_takes);
    if (elsewhere)
        return domain_elsewhere(d);
    if (start_error && start_why)
        strlcpy(d->reason, start_why, sizeof(d->reason));
    if (start_error)
        return start_error;
    for (unsigned i = 0; i < 2; i++)
        if (threads[d->id][i])
            thread_join(threads[d->id][i]);
    starts[d->id]++;
    d->live = 2;
    for (unsigned i = 0; i < 2; i++)
        thread_start(threads[d->id][i] = thread_create("vcpu", i, 8, vcpu, d, d, false));
    return 0;
}
static void kill(struct domain *d)
{
    kills++;
    for (unsigned i = 0; i < 2; i++) {
        threads[d->id][i]->stop = true;
        thread_wake(threads[d->id][i]);
    }
}
static u8 last_byte;
static void input(struct domain *d, u8 byte) { last_byte = byte; }
static const struct domain_ops ops = { .create = create, .start = start, .kill = kill, .input = input };

static void boot(void)
{
    host_boot(2);
    sample_make(&s);
    memset(starts, 0, sizeof(starts));
    memset(threads, 0, sizeof(threads));
    memset(domains, 0, sizeof(domains));
    s.domain[0].flags = SYS_AUTOSTART | SYS_POWER_BOARD | SYS_RESTART_ON_RESET;
    s.domain[1].flags = SYS_AUTOSTART | SYS_RESTART_ON_FAULT;
    system_table = &s.h;
    domain_register_kind(SYS_KIND_VM, &ops);
    domains_create();
    domains_start();
    host_settle();
}

static int setup(void **state)
{
    start_error = create_error = 0;
    start_why = NULL;
    start_takes = 0;
    elsewhere = stays = false;
    kills = 0;
    boot();
    host_clear_out();
    return 0;
}

static void command(void *line) { monitor_execute(line); }
static void run_command(const char *text)
{
    static char line[80];
    strlcpy(line, text, sizeof(line));
    host_clear_out();
    console_focus(CONSOLE_KERNEL);
    thread_start(thread_create("monitor", 0, 31, command, line, NULL, false));
    host_settle();
}
static bool said(const char *part)
{
    for (const char *p = host_out[0]; *p; p++)
        if (!strncmp(p, part, strlen(part)))
            return true;
    return false;
}

#endif
