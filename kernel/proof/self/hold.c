/* SPDX-License-Identifier: MIT */
/*
 * hold.c - `hold CORE MS`: a thread that stays inside the object for so long, so that a switch must be put off;
 * `cost`: ticks of an operation by way of the object and directly.
 */
#include <attach/switch.h>
#include <core/console.h>
#include <core/log.h>
#include <core/monitor.h>
#include <errors.h>

#define OPERATIONS 1000
#define NO_PORT    7 /* a console port that is not there: the shortest operation there is */

static ticks_t hold_for;
static struct thread *holder;
static bool held;

static void hold(void *arg)
{
    ticks_t until = time_now() + hold_for;
    vobject_enter();
    WRITE_ONCE(held, true);
    while (time_now() < until)
        cpu_relax();
    vobject_leave();
}

static const char *number(const char *text, unsigned *value)
{
    while (*text == ' ')
        text++;
    for (*value = 0; *text >= '0' && *text <= '9' && *value < 1000000; text++)
        *value = *value * 10 + (unsigned)(*text - '0');
    return text;
}

static int cmd_hold(const char *arg)
{
    unsigned core, ms;
    arg = number(number(arg, &core), &ms);
    if (*arg || core >= n_cpus || !ms || ms > 600000)
        return -EINVAL;
    if (holder)
        thread_join(holder);
    hold_for = time_from_ns(ms * 1000000ull);
    held = false;
    holder = thread_create("hold", core, PRIO_HIGH, hold, NULL, NULL, false);
    if (!holder)
        return -ENOMEM;
    thread_start(holder);
    while (!READ_ONCE(held))
        thread_sleep_ns(100000);
    return 0;
}

static int cmd_cost(const char *arg)
{
    int (*const direct)(unsigned) = native_object.console_getc;
    unsigned long flags = irq_save();
    ticks_t t0 = time_now();
    for (unsigned i = 0; i < OPERATIONS; i++)
        hal_console_getc(NO_PORT);
    ticks_t t1 = time_now();
    for (unsigned i = 0; vobject == &native_object && i < OPERATIONS; i++)
        direct(NO_PORT);
    ticks_t t2 = time_now();
    irq_restore(flags);
    printk("cost: %u operations by the %s object %llu ticks", OPERATIONS, vobject->name, (t1 - t0));
    if (vobject == &native_object)
        printk(", direct %llu", (t2 - t1));
    printk("\n");
    return 0;
}

MONITOR_COMMAND(hold, "hold", "CORE MS", "stay inside the object", .run = cmd_hold);
MONITOR_COMMAND(cost, "cost", "", "of an operation by way of the object", .run = cmd_cost);
