/* SPDX-License-Identifier: MIT */
/* Two processors of a guest, on a core each, lift the interval timer's masks at once: its timer is in one core's list,
 * once. Cores are host threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <core/cpu.h>
#include <core/timer.h>
#include <pthread.h>
#include <unistd.h>

#include "../../kernel/vm/devices/pc_devices.h"

struct cpu *cpus[MAX_CPUS];
unsigned n_cpus = 2;
__thread struct cpu *host_core;
u64 time_hz = 1000000000;

static struct cpu record[2];
static struct pc_devices pc;
static struct pc_parts parts = { .devices = &pc };
static struct timer neighbour[2]; /* others' timers, first and last in each list */
static bool begun, done;          /* by core 1 */
void (*host_gap)(void);

u64 mul_div(u64 a, u64 b, u64 c) { return (unsigned __int128)a * b / c; }
void hal_timer_arm(ticks_t deadline) {}
void alarm_refresh(struct cpu *c) {}
struct pc_parts *pc_parts(struct vm *vm) { return &parts; }
bool ioapic_masked(struct vm *vm, unsigned gsi) { return true; }
bool i8259_masked(struct vm *vm, unsigned irq) { return true; }
void vm_irq_line(struct vm *vm, unsigned gsi, bool level) {}
void vm_request_pit(struct vm *vm) {}

/* Core 0 has taken the timer out of its list and not yet put it in again: core 1's turn, as far as that may go. */
static void gap(void)
{
    if (host_core != &record[0])
        return;
    host_gap = NULL;
    __atomic_store_n(&begun, true, __ATOMIC_SEQ_CST);
    for (unsigned i = 0; i < 100 && !__atomic_load_n(&done, __ATOMIC_SEQ_CST); i++)
        usleep(1000);
}

static void *other_core(void *unused)
{
    host_core = &record[1];
    while (!__atomic_load_n(&begun, __ATOMIC_SEQ_CST))
        sched_yield();
    pit_wake(NULL); /* with the lock of one interrupt controller here, of the other there */
    __atomic_store_n(&done, true, __ATOMIC_SEQ_CST);
    return NULL;
}

/* How often it is in this core's list; 9 if that is none any more. */
static unsigned times_in(const struct cpu *c, const struct timer *t)
{
    unsigned found = 0, n = 0;
    for (const struct list *at = c->timers.next; at != &c->timers; at = at->next) {
        if (at->next->prev != at || ++n > 2)
            return 9;
        found += at == &t->link;
    }
    return found;
}

extern const struct pc_device __start_pc_devices[]; /* the timer, alone */

static void two_cores_wake_one_timer(void **state)
{
    pthread_t other;
    for (unsigned i = 0; i < 2; i++) {
        record[i].id = i;
        list_init(&record[i].timers);
        cpus[i] = host_core = &record[i];
        timer_init(&neighbour[i], NULL, NULL);
        timer_arm(&neighbour[i], TICKS_NEVER - 1);
    }
    timer_init(&pc.pit.timer, __start_pc_devices[0].fire, &pc.pit);
    pc.pit.dormant = true;
    pthread_create(&other, NULL, other_core, NULL);
    host_core = &record[0];
    host_gap = gap;
    pit_wake(NULL);
    pthread_join(other, NULL);
    assert_int_equal(times_in(&record[0], &pc.pit.timer) + times_in(&record[1], &pc.pit.timer), 1);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(times_in(&record[i], &neighbour[i]), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(two_cores_wake_one_timer) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
