/* SPDX-License-Identifier: MIT */
/* A hart that waits for a lock goes on when the lock is free, whatever interrupts it has turned off before: WFI ends
 * only for an interrupt that is pending and enabled in sie (privileged architecture, 3.3.3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <arch/trap.h>
#include <board/irq.h>
#include <core/cpu.h>
#include <hal/cpu.h>
#include <hal/time.h>
#include <hal/upcalls.h>

#define SEIE (1ul << INT_EXTERNAL)

unsigned long host_sie, host_sip;
bool host_irq_on, cpus_stopping;
struct cpu *host_this_cpu;
static struct spinlock lock;
static unsigned waits;

void panic(const char *fmt, ...) { abort(); }
void printk(const char *fmt, ...) {}
void hal_halt(void) { abort(); }
void core_trap(const char *what, const struct trap_frame *f) { abort(); }
void core_irq_ipi(void) {}
void core_irq_exit(void) {}
void irq_take(void) {}
void hal_timer_arm(ticks_t deadline) { csr_clear(sie, SIE_STIE); }

/* The other core unlocks while this one waits. It rings nobody. */
void host_wfi(void)
{
    assert_false(host_irq_on);        /* nor is the pending one taken */
    assert_true(host_sip & host_sie); /* it sleeps for ever otherwise */
    if (++waits == 3)
        spin_unlock(&lock);
}

static void take_the_lock(void)
{
    unsigned long before = host_sie;
    spin_lock(&lock);
    assert_int_equal(host_sie, before);
    spin_unlock(&lock);
}

void core_irq_timer(void) { take_the_lock(); }

/* Another core holds the lock. */
static int setup(void **state)
{
    lock = (struct spinlock){ .next = 1 };
    waits = 0;
    host_irq_on = false;
    host_sie = SEIE | SIE_STIE | SIP_SSIP;
    host_sip = 0;
    return 0;
}

static void a_wait_for_a_lock_ends(void **state)
{
    take_the_lock();
    assert_int_equal(waits, 3);
    assert_true(host_sip & SIP_SSIP); /* a real ring may be in it */
}

static void a_wait_for_a_lock_ends_while_rings_are_deferred(void **state)
{
    cpu_defer_ipi(true);
    take_the_lock();
    assert_int_equal(waits, 3);
    assert_false(host_sie & SIP_SSIP);
}

static void a_wait_for_a_lock_ends_in_the_timers_handler_while_rings_are_deferred(void **state)
{
    cpu_defer_ipi(true);
    trap_interrupt(INT_TIMER);
    assert_int_equal(waits, 3);
    cpu_defer_ipi(false);
    assert_true(cpu_take_ipi());
    assert_false(cpu_take_ipi());
}

static void a_wait_takes_no_interrupt(void **state)
{
    host_irq_on = true;
    waits = 5;
    cpu_relax();
    assert_true(host_irq_on);
    host_irq_on = false;
    cpu_relax();
    assert_false(host_irq_on);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        T(a_wait_for_a_lock_ends),
        T(a_wait_for_a_lock_ends_while_rings_are_deferred),
        T(a_wait_for_a_lock_ends_in_the_timers_handler_while_rings_are_deferred),
        T(a_wait_takes_no_interrupt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
