/* SPDX-License-Identifier: MIT */
/*
 * console_polled.c - a console that interrupts nobody when something is typed, as a firmware's is (option
 * CONSOLE_POLLED): core 0 asks it every PERIOD, if a domain of the system has `focus`.
 */
#include <core/console.h>
#include <core/domain.h>
#include <core/init.h>
#include <core/timer.h>

#define PERIOD 20000000ull /* ns */

static struct timer timer;

static bool somebody_reads(void)
{
    for (unsigned i = 0; i < n_domains; i++)
        if (domains[i].conf->flags & SYS_FOCUS)
            return true;
    return false;
}

/* timer.fn. First when core 0 idles, and the domains were made: it boots with interrupts off. */
static void look(void *arg)
{
    if (!somebody_reads())
        return;
    console_poll(0);
    timer_arm(&timer, time_now() + time_from_ns(PERIOD));
}

static __init_text void console_polled_init(void)
{
    timer_init(&timer, look, NULL);
    timer_arm(&timer, time_now() + time_from_ns(PERIOD));
}
INIT_CALL(console_polled_init);
