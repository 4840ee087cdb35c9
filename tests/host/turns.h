/* SPDX-License-Identifier: MIT */
/*
 * turns.h - cores of the fake machine (host.h) that take turns where they meet: at each word that two of them share a
 * core stops, and the test says who goes on. So a test can order what several cores do, or try many orders.
 *
 * Each core has a context of its own, in which its idle loop and its threads run. Words are shared by the caches'
 * policy (cluster/policy.h), fences and cpu_give_way(); the test's own functions may meet(), too. The last core has no
 * context: the test is on it whenever it chooses. Time moves a little with each turn.
 */
#ifndef AMALGAM_TESTS_TURNS_H
#define AMALGAM_TESTS_TURNS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#include "host.h"
#include "noc_host.h"
#include <core/log.h>
#include <core/thread.h>
#include <hal/cpu.h>
#include <hal/upcalls.h>

#define CORES      6 /* that take turns */
#define TURN_NS    20
#define TURN_STACK (256 * KIB)

static struct turn {
    ucontext_t at; /* where the core stands */
    void *stack;
    bool irq_on;
    bool idle;           /* it had nothing to do in its last turn */
    unsigned ipis_taken; /* of host_ipis_to */
    unsigned gave_way;   /* cpu_give_way() calls */
} turns[CORES];
static ucontext_t chooser;
static bool choosing = true, deferred;
static unsigned rings_taken; /* of noc_host_rings[0] */

static bool is_ipi_pending(unsigned core)
{
    bool rung = core == 0 && noc_host_rings[0] != rings_taken;
    return !(deferred && core == 0) && (rung || turns[core].ipis_taken != host_ipis_to[core]);
}

/* As arch/riscv/cpu/traps.c: one interrupt for rings of clusters and of cores. */
bool cpu_take_ipi(void)
{
    unsigned core = this_cpu()->id;
    if (!is_ipi_pending(core))
        return false;
    turns[core].ipis_taken = host_ipis_to[core];
    if (core == 0)
        rings_taken = noc_host_rings[0];
    noc_rang();
    core_irq_ipi();
    return true;
}

bool cpu_is_due(void) { return is_ipi_pending(this_cpu()->id) || host_alarm[this_cpu()->id] <= host_now; }
void cpu_defer_ipi(bool defer) { deferred = defer; }

static bool take_interrupts(void)
{
    unsigned core = this_cpu()->id;
    host_irq_on = false;
    bool any = cpu_take_ipi();
    if (host_alarm[core] <= host_now) {
        host_alarm[core] = TICKS_NEVER;
        core_irq_timer();
        any = true;
    }
    if (any)
        core_irq_exit();
    return any;
}

static void interrupts_on(void)
{
    if (!choosing)
        take_interrupts();
    host_irq_on = true;
}

/* Let the test say who goes on. Interrupts come before this returns, if they are on. */
static void meet(void)
{
    if (choosing)
        return;
    struct turn *t = &turns[this_cpu()->id];
    bool on = t->irq_on = host_irq_on;
    swapcontext(&t->at, &chooser);
    if (on)
        interrupts_on();
}

void (*host_at_fence)(void) = meet;
void (*host_at_enable)(void) = interrupts_on;

void cpu_give_way(void)
{
    turns[this_cpu()->id].gave_way++;
    meet();
}

static void idle_loop(void)
{
    for (;;) {
        bool any = take_interrupts();
        if (this_cpu()->sched.resched) {
            schedule();
            any = true;
        }
        turns[this_cpu()->id].idle = !any;
        meet();
    }
}

/* One turn of a core. */
static void step(unsigned core)
{
    host_now += TURN_NS;
    turns[core].idle = false;
    host_on(core);
    host_irq_on = turns[core].irq_on;
    choosing = false;
    swapcontext(&chooser, &turns[core].at);
    choosing = true;
    host_on(CORES);
    host_irq_on = false;
}

static bool is_quiet(void)
{
    bool quiet = true;
    for (unsigned i = 0; i < CORES; i++)
        quiet &= turns[i].idle && !is_ipi_pending(i) && host_alarm[i] > host_now && !cpus[i]->sched.resched;
    return quiet;
}

/* Turns for all cores, until none has anything to do. It must come to that within `most` turns. */
static void settle_within(unsigned most)
{
    unsigned n = 0;
    do {
        for (unsigned i = 0; i < CORES; i++, n++)
            step(i);
        assert_true(n <= most);
    } while (!is_quiet());
}

static void turns_begin(void)
{
    alarm(300); /* a core that meets nobody any more, which no count of turns ends */
    host_boot(CORES + 1);
    deferred = false;
    rings_taken = noc_host_rings[0];
    for (unsigned i = 0; i < CORES; i++) {
        struct turn *t = &turns[i];
        free(t->stack);
        *t = (struct turn){ .stack = malloc(TURN_STACK) };
        getcontext(&t->at);
        t->at.uc_stack.ss_sp = t->stack;
        t->at.uc_stack.ss_size = TURN_STACK;
        makecontext(&t->at, idle_loop, 0);
    }
    choosing = true;
    host_on(CORES);
}

#endif
