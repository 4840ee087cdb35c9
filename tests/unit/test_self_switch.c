/* SPDX-License-Identifier: MIT */
/*
 * The switch between two virtualization objects, with cores that are host threads: none ever works on the other mode's
 * object, all go or none, what is put off is done later. tests/model/self_switch.pml is the same, exhaustively and
 * small.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <attach/switch.h>
#include <core/init.h>
#include <core/log.h>
#include <core/wait.h>
#include <errors.h>
#include <hal/selfvirt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CORES 4

/* --- the machine: each core polls for its interrupt where interrupts would be on ---------------------- */

struct cpu *cpus[MAX_CPUS];
unsigned n_cpus = CORES;
__thread struct cpu *host_core;
u64 time_hz = 1000000000;
static struct cpu record[CORES];
static bool pending[CORES], over;
static struct timer *armed;
static unsigned put_off; /* how often a timer was armed: switches that are to be made later */

ticks_t time_from_ns(u64 ns) { return ns; }
u64 time_to_ns(ticks_t t) { return t; }
void printk(const char *fmt, ...) {}
void panic(const char *fmt, ...)
{
    fprintf(stderr, "panic: %s\n", fmt);
    abort();
}
void timer_init(struct timer *t, void (*fn)(void *), void *arg) { *t = (struct timer){ .fn = fn, .arg = arg }; }
void timer_arm(struct timer *t, ticks_t deadline)
{
    t->deadline = deadline;
    armed = t;
    __atomic_fetch_add(&put_off, 1, __ATOMIC_RELEASE);
}

static void interrupts(void)
{
    unsigned me = host_core->id;
    struct timer *t = armed;
    if (me == 0 && t && time_now() >= t->deadline) {
        armed = NULL;
        t->fn(t->arg);
    }
    if (__atomic_exchange_n(&pending[me], false, __ATOMIC_ACQ_REL))
        self_switch_interrupt();
}

void mutex_init(struct mutex *m) {}
int mutex_lock(struct mutex *m) { return 0; }
void mutex_unlock(struct mutex *m) {}
static unsigned slept, up_after;
void thread_sleep_ns(u64 ns)
{
    if (++slept == up_after)
        record[2].online = true;
}
void sem_init(struct semaphore *s, u32 count) { s->count = count; }
void sem_post(struct semaphore *s) { s->count++; }
int sem_wait(struct semaphore *s, ticks_t deadline)
{
    while (!s->count) {
        interrupts();
        sched_yield();
    }
    s->count--;
    return 0;
}

/* --- two objects whose functions see which mode their core is in -------------------------------------- */

static bool in_virtual[CORES];
static unsigned wrong, done[2];
static int check_says[CORES], reload_says[CORES];
static ticks_t comes_late; /* how long core 1 does not look for interrupts, once */

int hal_layer_check(void) { return check_says[host_core->id]; }

static void work(bool object)
{
    __atomic_fetch_add(&done[object], 1, __ATOMIC_RELAXED);
    if (in_virtual[host_core->id] != object)
        __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

static void native_work(void) { work(false); }
static void virtual_work(void) { work(true); }
static void ipi(unsigned cpu, enum vobject_ipi which) { __atomic_store_n(&pending[cpu], true, __ATOMIC_RELEASE); }

static int reload(bool to)
{
    int err = to ? reload_says[host_core->id] : 0;
    if (!err)
        in_virtual[host_core->id] = to;
    return err;
}

static int to_native(void) { return reload(false); }
static int to_virtual(void) { return reload(true); }

/* What one mode holds goes to the other, whole. */
static struct vobject_state held[2][CORES];
static void native_give(struct vobject_state *s) { *s = held[0][host_core->id]; }
static void virtual_give(struct vobject_state *s) { *s = held[1][host_core->id]; }
static void native_take(const struct vobject_state *s) { held[0][host_core->id] = *s; }
static void virtual_take(const struct vobject_state *s) { held[1][host_core->id] = *s; }

#define OBJECT(mode)                                                                                                   \
    const struct vobject mode##_object = { .name = #mode,                                                              \
                                           .irq_done = mode##_work,                                                    \
                                           .ipi = ipi,                                                                 \
                                           .reload = to_##mode,                                                        \
                                           .give = mode##_give,                                                        \
                                           .take = mode##_take }
OBJECT(native);
OBJECT(virtual);
const struct vobject *vobject = &native_object;
struct vobject_users vobject_users[MAX_CPUS];

/* --- what the cores do ---------------------------------------------------------------------------------- */

static bool stays; /* core 3 is to be inside the object until a switch has been put off */

static void stay(const struct vobject *inside)
{
    unsigned before = __atomic_load_n(&put_off, __ATOMIC_ACQUIRE);
    WRITE_ONCE(stays, false);
    while (__atomic_load_n(&put_off, __ATOMIC_ACQUIRE) == before && READ_ONCE(vobject) == inside) {
        interrupts();
        sched_yield();
    }
}

static void use(unsigned i)
{
    const struct vobject *o = vobject_enter();
    if (i % 4 == 0)
        interrupts(); /* in the midst of it */
    o->irq_done();
    if (host_core->id == 3 && READ_ONCE(stays))
        stay(o);
    o->irq_done();
    vobject_leave();
    sched_yield(); /* the host may have fewer cores */
    interrupts();
}

static void *core(void *arg)
{
    host_core = arg;
    for (unsigned i = 0; !READ_ONCE(over); i++) {
        ticks_t late = host_core->id == 1 ? __atomic_exchange_n(&comes_late, 0, __ATOMIC_ACQ_REL) : 0;
        for (ticks_t until = time_now() + late; late && time_now() < until;)
            sched_yield();
        use(i);
    }
    return NULL;
}

static pthread_t threads[CORES];

static int setup(void **state)
{
    vobject = &native_object;
    wrong = done[0] = done[1] = 0;
    comes_late = 0;
    stays = over = false;
    armed = NULL;
    for (unsigned i = 0; i < CORES; i++) {
        record[i] = (struct cpu){ .id = i, .online = true };
        cpus[i] = &record[i];
        in_virtual[i] = pending[i] = false;
        check_says[i] = reload_says[i] = 0;
        held[0][i] = (struct vobject_state){ .alarm = 1000 + i };
        held[1][i] = (struct vobject_state){ 0 };
    }
    host_core = &record[0];
    for (const init_call *call = __initcalls_start; call < __initcalls_end; call++)
        (*call)();
    for (unsigned i = 1; i < CORES; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, core, &record[i]), 0);
    return 0;
}

static int teardown(void **state)
{
    WRITE_ONCE(over, true);
    for (unsigned i = 1; i < CORES; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(wrong, 0);
    for (unsigned i = 0; i < CORES; i++) {
        assert_int_equal(vobject_users[i].n, 0);
        assert_int_equal(in_virtual[i], vobject == &virtual_object);
    }
    return 0;
}

static void everybody_changes_and_nobody_works_on_the_other_object(void **state)
{
    struct switch_report r;
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(self_switch(i % 2 ? &native_object : &virtual_object, &r), 0);
        for (unsigned c = 0; c < CORES; c++)
            assert_int_equal(in_virtual[c], i % 2 == 0);
    }
    assert_true(done[0] > 100 && done[1] > 100);
}

static void a_switch_is_put_off_while_somebody_is_inside_and_made_later(void **state)
{
    struct switch_report r;
    for (unsigned i = 0; i < 10; i++) {
        WRITE_ONCE(stays, true);
        while (READ_ONCE(stays)) /* until it is inside */
            sched_yield();
        assert_int_equal(self_switch(i % 2 ? &native_object : &virtual_object, &r), 0);
        assert_true(r.deferred > 0);
    }
}

static void whoever_stays_inside_for_ever_is_told(void **state)
{
    struct switch_report r;
    __atomic_fetch_add(&vobject_users[2].n, 1, __ATOMIC_RELAXED);
    assert_int_equal(self_switch(&virtual_object, &r), -ETIMEDOUT);
    assert_int_equal(r.deferred, SWITCH_MOST_TRIES);
    assert_true(r.busy + r.late >= 1);
    assert_ptr_equal(vobject, &native_object);
    __atomic_fetch_sub(&vobject_users[2].n, 1, __ATOMIC_RELAXED);
    assert_int_equal(self_switch(&virtual_object, &r), 0);
}

static void one_core_that_cannot_keeps_all_where_they_are(void **state)
{
    check_says[3] = -EBUSY;
    assert_int_equal(self_switch(&virtual_object, NULL), -EBUSY);
    assert_ptr_equal(vobject, &native_object);
    for (unsigned i = 0; i < CORES; i++)
        assert_false(in_virtual[i]);
}

static void one_core_that_fails_takes_all_back(void **state)
{
    for (unsigned failing = 0; failing < CORES; failing++) {
        reload_says[failing] = -EIO;
        assert_int_equal(self_switch(&virtual_object, NULL), -EIO);
        for (unsigned i = 0; i < CORES; i++)
            assert_false(in_virtual[i]);
        reload_says[failing] = 0;
        assert_int_equal(self_switch(&virtual_object, NULL), 0);
        assert_int_equal(self_switch(&native_object, NULL), 0);
    }
}

static void a_core_that_comes_too_late_is_waited_for_the_next_time(void **state)
{
    struct switch_report r;
    __atomic_store_n(&comes_late, 3 * SWITCH_PATIENCE, __ATOMIC_RELEASE);
    while (__atomic_load_n(&comes_late, __ATOMIC_ACQUIRE))
        sched_yield();
    ticks_t start = time_now();
    assert_int_equal(self_switch(&virtual_object, &r), 0);
    assert_true(r.deferred > 0);
    assert_true(time_now() - start >= SWITCH_PATIENCE);
}

static void what_one_mode_held_the_other_holds(void **state)
{
    assert_int_equal(self_switch(&virtual_object, NULL), 0);
    for (unsigned i = 0; i < CORES; i++) {
        assert_int_equal(held[1][i].alarm, 1000 + i);
        held[1][i].pending = 1u << i;
    }
    assert_int_equal(self_switch(&native_object, NULL), 0);
    for (unsigned i = 0; i < CORES; i++)
        assert_int_equal(held[0][i].pending, 1u << i);
}

static void nothing_happens_when_the_kernel_is_there_or_a_core_is_not_up(void **state)
{
    assert_int_equal(self_switch(&native_object, NULL), -EEXIST);
    record[2].online = false;
    assert_int_equal(self_switch(&virtual_object, NULL), -EAGAIN);
    assert_ptr_equal(vobject, &native_object);
    up_after = slept + 3; /* it is only late */
    assert_int_equal(self_switch(&virtual_object, NULL), 0);
    assert_int_equal(slept, up_after);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(everybody_changes_and_nobody_works_on_the_other_object),
        T(a_switch_is_put_off_while_somebody_is_inside_and_made_later),
        T(whoever_stays_inside_for_ever_is_told),
        T(one_core_that_cannot_keeps_all_where_they_are),
        T(one_core_that_fails_takes_all_back),
        T(a_core_that_comes_too_late_is_waited_for_the_next_time),
        T(what_one_mode_held_the_other_holds),
        T(nothing_happens_when_the_kernel_is_there_or_a_core_is_not_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
