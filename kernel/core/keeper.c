/* SPDX-License-Identifier: MIT */
/*
 * keeper.c - the keeper, a thread: it starts the domains that the table says, restarts those that have ended and are to
 * run again, and powers the board off when the last one that means it has ended.
 */
#include <core/console.h>
#include <core/cpu.h>
#include <core/domain.h>
#include <core/log.h>
#include <errors.h>

#include "keeper.h"

#define RESTART_PAUSE_NS                                                                                               \
    100000000ull /* a domain that ends at once must not keep this core busy with clearing and loading its memory */

static struct semaphore ended; /* posted when a domain has ended */
static u32 ended_map;          /* domains that have ended and that the keeper has not handled */
static struct thread *keeper_thread;

void keeper_look(const struct domain *d)
{
    __atomic_fetch_or(&ended_map, 1u << d->id, __ATOMIC_RELAXED);
    sem_post(&ended);
}

/* Returns whether the board is to be powered off: all domains with SYS_POWER_BOARD have ended, none of them is to be
 * restarted, and one of them ended by itself, not by the operator. */
static bool board_done(void)
{
    bool any = false;
    for (unsigned i = 0; i < n_domains; i++) {
        const struct domain *d = &domains[i];
        if (!(d->conf->flags & SYS_POWER_BOARD) || d->end == END_STOPPED)
            continue;
        if (d->state == DOMAIN_RUNNING || d->state == DOMAIN_STOPPING || domain_wants_restart(d))
            return false;
        any |= d->end != END_NONE;
    }
    return any;
}

static bool one_restarts(u32 map)
{
    for (unsigned i = 0; i < n_domains; i++)
        if (map & 1u << i && READ_ONCE(domains[i].state) == DOMAIN_STOPPED && domain_wants_restart(&domains[i]))
            return true;
    return false;
}

static void handle_end(struct domain *d)
{
    if (READ_ONCE(d->state) != DOMAIN_STOPPED)
        return; /* the operator has started it */
    if (domain_wants_restart(d)) {
        domain_start_again(d);
    } else if (d->end == END_DONE && !d->reason[0]) { /* otherwise log_end() has logged it */
        printk("domain %s: done\n", d->conf->name);
    }
}

static void start_all(void)
{
    for (unsigned i = 0; i < n_domains; i++) {
        struct domain *d = &domains[i];
        if (d->conf->flags & SYS_FOCUS)
            console_focus(i);
        if (d->state == DOMAIN_STOPPED && (d->conf->flags & SYS_AUTOSTART))
            domain_start(d);
    }
}

void board_off(void)
{
    console_flush();
    printk("power off\n");
    hal_power_off();
}

static void keeper(void *arg)
{
    start_all();
    do { /* a start that failed posts nothing, so look before the first wait */
        u32 map = __atomic_exchange_n(&ended_map, 0, __ATOMIC_RELAXED);
        if (one_restarts(map))
            thread_sleep_ns(RESTART_PAUSE_NS); /* once for all that have ended */
        for (unsigned i = 0; i < n_domains; i++)
            if (map & 1u << i)
                handle_end(&domains[i]);
        if (board_done())
            board_off();
    } while (!sem_wait(&ended, TICKS_NEVER));
}

__init_text int domains_start(void)
{
    sem_init(&ended, 0);
    /* Above any domain's priority: a domain that never leaves its core must still be stopped and restarted. */
    keeper_thread = thread_create("keeper", 0, PRIO_MAX, keeper, NULL, NULL, false);
    if (!keeper_thread)
        return -ENOMEM;
    thread_start(keeper_thread);
    return 0;
}

void domains_keeper_end(void)
{
    if (!keeper_thread)
        return;
    WRITE_ONCE(keeper_thread->stop, true);
    thread_wake(keeper_thread);
    thread_join(keeper_thread);
    keeper_thread = NULL;
}
