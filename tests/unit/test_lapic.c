/* SPDX-License-Identifier: MIT */
/* The local APIC of a vCPU against APM vol. 2 chapter 16, with the processor's half (V_IRQ) played by the test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "pc.h"

struct cpu *host_this_cpu;
bool host_irq_on = true;
ticks_t host_now = 1000;

static struct vm vm;
static struct pc_vcpu cpu[3];
static struct vmcb vmcb[3];
static unsigned kicks, eois, eoi_vector;
static u32 asked[3];
static struct pc_vcpu *const bsp = &cpu[0];

/* --- what lapic.c stands on --------------------------------------------------------------------- */

void vcpu_kick(struct vcpu *v) { kicks++; }
void vcpu_request(struct vcpu *v, u32 request)
{
    asked[v->id] |= request;
    v->requests |= request;
}
void ioapic_eoi(struct vm *m, unsigned vector)
{
    eois++;
    eoi_vector = vector;
}
ticks_t time_from_ns(u64 ns) { return ns; }
u64 time_to_ns(ticks_t t) { return t; }
void timer_init(struct timer *t, void (*fn)(void *), void *arg)
{
    t->fn = fn;
    t->arg = arg;
}
void timer_arm(struct timer *t, ticks_t deadline)
{
    t->deadline = deadline;
    t->armed = true;
}
bool timer_cancel(struct timer *t)
{
    bool was = t->armed;
    t->armed = false;
    return was;
}

/* Time passes; each timer fires when it is due. */
static void pass(u64 ns)
{
    struct timer *t = &bsp->lapic.timer;
    u64 end = host_now + ns;
    while (t->armed && t->deadline <= end) {
        host_now = t->deadline;
        t->armed = false;
        t->fn(t->arg);
    }
    host_now = end;
}

/* --- the guest ------------------------------------------------------------------------------------ */

static int setup(void **state)
{
    memset(cpu, 0, sizeof(cpu));
    memset(vmcb, 0, sizeof(vmcb));
    memset(asked, 0, sizeof(asked));
    kicks = eois = 0;
    vm.n_vcpus = 3;
    for (unsigned i = 0; i < 3; i++) {
        vm.vcpu[i] = &cpu[i].vcpu;
        cpu[i].vcpu.vm = &vm;
        cpu[i].vcpu.id = i;
        cpu[i].vcpu.hal.vmcb = &vmcb[i];
        lapic_create(&cpu[i]);
        lapic_reset(&cpu[i]);
        assert_true(lapic_set_base(&cpu[i], LAPIC_BASE | 0xc00));
        assert_true(lapic_write(&cpu[i], 0x0f, 0x1ff));
    }
    return 0;
}

static u64 get(struct pc_vcpu *v, unsigned reg)
{
    u64 value;
    assert_true(lapic_read(v, reg, &value));
    return value;
}

/* Enter and leave the guest; it takes what is offered if its TPR lets it. Returns the vector, 0 none. */
static unsigned run(struct pc_vcpu *v)
{
    struct vmcb *b = v->vcpu.hal.vmcb;
    unsigned taken = 0;
    if (v->vcpu.requests & REQ_TIMER) /* machine_handle_requests() */
        lapic_resume_timer(v);
    v->vcpu.requests &= ~(u32)REQ_TIMER;
    lapic_offer(v);
    if ((b->vintr & VINTR_IRQ) && (b->vintr >> VINTR_PRIO_SHIFT & 0xf) > (b->vintr & 0xf)) {
        taken = b->vintr_vector;
        b->vintr &= ~VINTR_IRQ;
    }
    lapic_sync(v);
    return taken;
}

static void eoi(struct pc_vcpu *v) { assert_true(lapic_write(v, 0x0b, 0)); }

static void highest_vector_first_and_nesting(void **state)
{
    lapic_accept(bsp, 0x31, false);
    lapic_accept(bsp, 0x52, false);
    assert_int_equal(run(bsp), 0x52);
    assert_int_equal(run(bsp), 0); /* 0x31 is of a lower class than what is in service */
    lapic_accept(bsp, 0x91, false);
    assert_int_equal(run(bsp), 0x91);
    assert_int_equal(get(bsp, 0x0a), 0x90);
    eoi(bsp);
    assert_int_equal(run(bsp), 0);
    eoi(bsp);
    assert_int_equal(run(bsp), 0x31);
    eoi(bsp);
    assert_int_equal(run(bsp), 0);
    assert_int_equal(bsp->lapic.isr_top, 0);
}

static void same_class_waits_for_the_end(void **state)
{
    lapic_accept(bsp, 0x51, false);
    assert_int_equal(run(bsp), 0x51);
    lapic_accept(bsp, 0x5f, false);
    assert_int_equal(run(bsp), 0);
    eoi(bsp);
    assert_int_equal(run(bsp), 0x5f);
}

static void task_priority_holds_back_and_cr8_is_tpr(void **state)
{
    assert_true(lapic_write(bsp, 0x08, 0x60));
    assert_int_equal(vmcb[0].vintr & 0xf, 6);
    lapic_accept(bsp, 0x6f, false);
    assert_int_equal(lapic_deliverable(bsp), 0);
    assert_int_equal(run(bsp), 0);
    vmcb[0].vintr &= ~0xfu; /* the guest writes CR8 */
    assert_int_equal(run(bsp), 0x6f);
    assert_int_equal(get(bsp, 0x08), 0);
}

static void level_triggered_ends_reach_the_ioapic(void **state)
{
    lapic_accept(bsp, 0x41, true);
    assert_int_equal(run(bsp), 0x41);
    assert_false(lapic_fast_eoi(bsp));
    eoi(bsp);
    assert_int_equal(eois, 1);
    assert_int_equal(eoi_vector, 0x41);
    lapic_accept(bsp, 0x41, false);
    run(bsp);
    assert_true(lapic_fast_eoi(bsp));
    assert_int_equal(eois, 1);
}

static void pv_eoi_ends_without_an_exit(void **state)
{
    u8 flag = 0;
    bsp->pv.eoi_flag = &flag;
    lapic_accept(bsp, 0x51, false);
    assert_int_equal(run(bsp), 0x51);
    assert_int_equal(flag, 1);
    flag = 0; /* the guest's EOI */
    lapic_sync(bsp);
    assert_int_equal(bsp->lapic.isr_top, 0);

    lapic_accept(bsp, 0x51, false);
    assert_int_equal(run(bsp), 0x51);
    lapic_accept(bsp, 0x33, false); /* another waits: the end must be seen */
    assert_int_equal(run(bsp), 0);
    assert_int_equal(flag, 0);
    assert_int_equal(bsp->lapic.isr_top, 0x51);
    eoi(bsp);
    assert_int_equal(run(bsp), 0x33);
}

static void disabled_and_illegal_are_dropped(void **state)
{
    lapic_accept(bsp, 15, false);
    assert_true(lapic_write(bsp, 0x0f, 0xff));
    lapic_accept(bsp, 0x40, false);
    assert_int_equal(run(bsp), 0);
    assert_int_equal(kicks, 0);
}

static void a_vector_that_is_pending_kicks_nobody(void **state)
{
    lapic_accept(bsp, 0x52, false);
    assert_int_equal(run(bsp), 0x52);
    kicks = 0;
    for (unsigned i = 0; i < 100; i++)
        lapic_accept(bsp, 0x51, false);
    assert_int_equal(kicks, 1);
    eoi(bsp);
    assert_int_equal(run(bsp), 0x51);
    lapic_accept(bsp, 0x51, false); /* the first is in service, so this is a new one */
    assert_int_equal(kicks, 2);
    eoi(bsp);
    assert_int_equal(run(bsp), 0x51);
}

static void timer_one_shot_periodic_deadline(void **state)
{
    assert_true(lapic_write(bsp, 0x3e, 0xb)); /* divide by 1 */
    assert_true(lapic_write(bsp, 0x32, 0x40));
    assert_true(lapic_write(bsp, 0x38, 500000));
    pass(200000);
    assert_int_equal(get(bsp, 0x39), 300000);
    assert_int_equal(run(bsp), 0);
    pass(300000);
    assert_int_equal(run(bsp), 0x40);
    eoi(bsp);
    pass(10000000);
    assert_int_equal(run(bsp), 0);

    assert_true(lapic_write(bsp, 0x32, 0x41 | 1 << 17));
    assert_true(lapic_write(bsp, 0x38, 1)); /* stretched to 100 us */
    unsigned n = 0;
    for (unsigned i = 0; i < 10; i++) {
        pass(100000);
        n += run(bsp) == 0x41;
        eoi(bsp);
    }
    assert_int_equal(n, 10);

    assert_true(lapic_write(bsp, 0x32, 0x42 | 2 << 17));
    lapic_set_deadline(bsp, host_now + 77);
    assert_int_equal(bsp->lapic.deadline, host_now + 77);
    pass(76);
    assert_int_equal(run(bsp), 0);
    pass(1);
    assert_int_equal(run(bsp), 0x42);
    eoi(bsp);
    assert_int_equal(bsp->lapic.deadline, 0);
    lapic_set_deadline(bsp, 1); /* in the past: at once */
    assert_int_equal(run(bsp), 0x42);
}

/* Each change of the mode while the timer counts: from or to deadline mode disarms it, any other lets it count (Intel
 * SDM 3A 11.5.4.1; APM vol. 2, 16.4.1). */
static void a_change_of_mode_disarms_from_and_to_deadline_only(void **state)
{
    static const struct {
        unsigned from, to;
        bool goes_on;
    } rows[] = { { 0, 0, true },  { 0, 1, true },  { 1, 0, true },  { 1, 1, true }, { 0, 2, false },
                 { 1, 2, false }, { 2, 0, false }, { 2, 1, false }, { 2, 2, true } };
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        setup(NULL);
        assert_true(lapic_write(bsp, 0x3e, 0xb));
        assert_true(lapic_write(bsp, 0x32, 0x41 | rows[i].from << 17));
        if (rows[i].from == 2)
            lapic_set_deadline(bsp, host_now + 1000000);
        else
            assert_true(lapic_write(bsp, 0x38, 1000000));
        pass(400000);
        assert_true(lapic_write(bsp, 0x32, 0x42 | rows[i].to << 17));
        assert_int_equal(get(bsp, 0x39), rows[i].goes_on && rows[i].to != 2 ? 600000 : 0);
        assert_int_equal(get(bsp, 0x38), rows[i].goes_on && rows[i].to != 2 ? 1000000 : 0);
        unsigned ticks = 0;
        for (unsigned ms = 0; ms < 3; ms++) {
            pass(600000 + 400000 * (ms > 0));
            ticks += run(bsp) == 0x42;
            eoi(bsp);
        }
        assert_int_equal(ticks, !rows[i].goes_on ? 0 : rows[i].to == 1 ? 3 : 1);
    }
}

/* UEFI's driver writes the count first. */
static void the_count_may_come_before_the_mode(void **state)
{
    assert_true(lapic_write(bsp, 0x3e, 0xb));
    assert_true(lapic_write(bsp, 0x38, 1000)); /* one-shot and masked; shorter than a period may be */
    assert_true(lapic_write(bsp, 0x32, 0x41 | 1 << 17));
    for (unsigned i = 0; i < 5; i++) {
        pass(i ? 100000 : 1000);
        assert_int_equal(run(bsp), 0x41);
        eoi(bsp);
    }
}

static void the_deadline_is_there_in_its_mode_only(void **state)
{
    assert_true(lapic_write(bsp, 0x32, 0x41));
    assert_true(lapic_write(bsp, 0x38, 1000000));
    assert_true(bsp->lapic.deadline == 0);
    lapic_set_deadline(bsp, host_now + 10);
    assert_int_equal(get(bsp, 0x39), 1000000); /* counts on */
    assert_true(lapic_write(bsp, 0x32, 0x41 | 2 << 17));
    assert_true(lapic_write(bsp, 0x38, 5)); /* ignored */
    assert_int_equal(get(bsp, 0x38), 0);
    pass(1000);
    assert_int_equal(run(bsp), 0);
    lapic_set_deadline(bsp, host_now + 77);
    assert_true(bsp->lapic.deadline == host_now + 77);
    pass(77);
    assert_int_equal(run(bsp), 0x41);
    assert_true(bsp->lapic.deadline == 0); /* it has passed */
}

/* A stopped timer whose last period nobody has looked at does not come back. */
static void a_stopped_timer_is_not_resumed(void **state)
{
    assert_true(lapic_write(bsp, 0x32, 0x41 | 1 << 17));
    assert_true(lapic_write(bsp, 0x38, 1000000));
    pass(2000000);
    assert_true(bsp->vcpu.requests & REQ_TIMER);
    assert_true(lapic_write(bsp, 0x32, 0x41 | 2 << 17));
    lapic_set_deadline(bsp, host_now + 500);
    assert_int_equal(run(bsp), 0x41);
    assert_true(bsp->lapic.deadline == host_now + 500);
}

/* All that software can set, then INIT: mode and identifier stay, the rest is as after RESET (Intel SDM 3A 11.4.7.3,
 * 11.12.5.1). */
static void init_leaves_the_mode_and_the_identifier(void **state)
{
    static const u64 modes[] = { LAPIC_BASE, LAPIC_BASE | 0x800, LAPIC_BASE | 0xc00 };
    static const struct {
        unsigned reg;
        u64 value, after;
    } rows[] = { { 0x08, 0x20, 0 },       { 0x0f, 0x1fe, 0xff },    { 0x32, 0x41, 0x10000 },  { 0x33, 0x42, 0x10000 },
                 { 0x34, 0x43, 0x10000 }, { 0x35, 0x700, 0x10000 }, { 0x36, 0x400, 0x10000 }, { 0x37, 0x44, 0x10000 },
                 { 0x38, 5000000, 0 },    { 0x3e, 0xb, 0 } };
    for (unsigned m = 0; m < ARRAY_SIZE(modes); m++) {
        struct pc_vcpu *v = &cpu[1];
        setup(NULL);
        for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
            assert_true(lapic_write(v, rows[i].reg, rows[i].value));
        lapic_accept(v, 0x55, false);
        assert_true(lapic_set_base(v, LAPIC_BASE));
        if (modes[m] & 0x400)
            assert_true(lapic_set_base(v, LAPIC_BASE | 0x800));
        assert_true(lapic_set_base(v, modes[m]));
        vmcb[1].vintr = 0; /* vcpu_init() */
        lapic_init(v);
        assert_true(v->lapic.base == modes[m]);
        assert_int_equal(get(v, 0x02), modes[m] & 0x400 ? 1 : 1 << 24);
        for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
            assert_int_equal(get(v, rows[i].reg), rows[i].after);
        assert_int_equal(get(v, 0x22), 0); /* nothing is pending */
        assert_false(v->lapic.timer.armed);
        lapic_reset(v);
        assert_true(v->lapic.base == (LAPIC_BASE | 0x800));
    }
}

/* While the vCPU is out of its windows, its neighbours pay for one expiry; then the phase is what it was. */
static void a_cpu_that_does_not_run_costs_one_expiry(void **state)
{
    assert_true(lapic_write(bsp, 0x3e, 0xb));
    assert_true(lapic_write(bsp, 0x32, 0x41 | 1 << 17));
    assert_true(lapic_write(bsp, 0x38, 1000000));
    pass(1000000);
    assert_false(bsp->lapic.timer.armed);
    pass(9500000);
    assert_int_equal(run(bsp), 0x41);
    eoi(bsp);
    assert_true(bsp->lapic.timer.armed);
    assert_int_equal(get(bsp, 0x39), 500000);
    pass(500000);
    assert_int_equal(run(bsp), 0x41);
}

static void messages_find_their_cpus(void **state)
{
    vm_apic_message(&vm, 1ul << 32 | 0x44);
    assert_int_equal(run(&cpu[0]), 0);
    assert_int_equal(run(&cpu[1]), 0x44);
    vm_apic_message(&vm, 6ul << 32 | 1 << 11 | 0x45);
    assert_int_equal(run(&cpu[0]), 0);
    assert_int_equal(run(&cpu[2]), 0x45);
    eoi(&cpu[2]);
    lapic_send(bsp, 3ul << 18 | 0x46); /* all but self */
    assert_int_equal(run(&cpu[0]), 0);
    assert_int_equal(run(&cpu[2]), 0x46);
    lapic_send(bsp, 1ul << 32 | 5 << 8 | 1 << 14);
    lapic_send(bsp, 1ul << 32 | 6 << 8 | 0x9a);
    assert_int_equal(asked[1], REQ_INIT | REQ_SIPI);
    assert_int_equal(cpu[1].sipi_vector, 0x9a);
    lapic_send(bsp, 2ul << 32 | 6 << 8 | 0x9a); /* it runs */
    assert_int_equal(asked[0] | asked[2], 0);
    assert_true(lapic_fast_self(bsp, 0x47));
    assert_false(lapic_fast_self(bsp, 1ul << 32 | 0x47));
    assert_int_equal(run(bsp), 0x47);
}

/* Without x2APIC: the destination in a register of its own, ids and masks in the top byte. */
static void xapic_has_its_own_layout(void **state)
{
    u64 value;
    for (unsigned i = 0; i < 3; i++) {
        assert_true(lapic_set_base(&cpu[i], LAPIC_BASE));
        assert_true(lapic_set_base(&cpu[i], LAPIC_BASE | 0x800));
        assert_true(lapic_write(&cpu[i], 0x0d, 1u << (24 + i)));
        assert_int_equal(get(&cpu[i], 0x02), i << 24);
        assert_int_equal(get(&cpu[i], 0x0d), 1u << (24 + i));
    }
    assert_true(lapic_write(bsp, 0x31, 1u << 24));
    assert_true(lapic_write(bsp, 0x30, 0x1044)); /* the delivery status is read-only */
    assert_int_equal(get(bsp, 0x30), 0x44);
    assert_int_equal(get(bsp, 0x31), 1u << 24);
    assert_int_equal(run(&cpu[1]), 0x44);
    assert_true(lapic_write(bsp, 0x31, 6u << 24));
    assert_true(lapic_write(bsp, 0x30, 0x845)); /* flat */
    assert_int_equal(get(bsp, 0x20 + 2), 0);
    assert_int_equal(get(&cpu[2], 0x20 + 2), 1 << 5);
    assert_true(lapic_write(&cpu[1], 0x0e, 0x0fffffff)); /* clusters: 2.1 is this one, 0.1 is not */
    assert_true(lapic_write(&cpu[1], 0x0d, 0x21000000));
    vm_apic_message(&vm, 0x01ul << 32 | 1 << 11 | 0x51);
    vm_apic_message(&vm, 0x21ul << 32 | 1 << 11 | 0x52);
    assert_int_equal(get(&cpu[1], 0x20 + 2), 1 << 18 | 1 << 5);
    assert_false(lapic_read(bsp, 0x3f, &value));
    assert_int_equal(value, 0);
    assert_false(lapic_write(bsp, 0x3f, 0x46));
}

static void registers_refuse_what_they_must(void **state)
{
    u64 value;
    assert_false(lapic_write(bsp, 0x02, 1));         /* id is read-only */
    assert_false(lapic_write(bsp, 0x0b, 1));         /* x2APIC: EOI takes 0 only */
    assert_false(lapic_write(bsp, 0x08, 1ul << 32)); /* high half */
    assert_false(lapic_read(bsp, 0x31, &value));     /* no ICR high in x2APIC mode */
    assert_false(lapic_read(bsp, 0xff, &value));
    assert_false(lapic_set_base(bsp, 0xfee01000 | 0xc00));
    assert_false(lapic_set_base(bsp, LAPIC_BASE | 0x800)); /* x2APIC goes off, not back */
    assert_true(lapic_set_base(bsp, LAPIC_BASE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(highest_vector_first_and_nesting, setup),
        cmocka_unit_test_setup(same_class_waits_for_the_end, setup),
        cmocka_unit_test_setup(task_priority_holds_back_and_cr8_is_tpr, setup),
        cmocka_unit_test_setup(level_triggered_ends_reach_the_ioapic, setup),
        cmocka_unit_test_setup(pv_eoi_ends_without_an_exit, setup),
        cmocka_unit_test_setup(disabled_and_illegal_are_dropped, setup),
        cmocka_unit_test_setup(a_vector_that_is_pending_kicks_nobody, setup),
        cmocka_unit_test_setup(timer_one_shot_periodic_deadline, setup),
        cmocka_unit_test_setup(a_change_of_mode_disarms_from_and_to_deadline_only, setup),
        cmocka_unit_test_setup(the_count_may_come_before_the_mode, setup),
        cmocka_unit_test_setup(the_deadline_is_there_in_its_mode_only, setup),
        cmocka_unit_test_setup(a_stopped_timer_is_not_resumed, setup),
        cmocka_unit_test_setup(init_leaves_the_mode_and_the_identifier, setup),
        cmocka_unit_test_setup(a_cpu_that_does_not_run_costs_one_expiry, setup),
        cmocka_unit_test_setup(messages_find_their_cpus, setup),
        cmocka_unit_test_setup(xapic_has_its_own_layout, setup),
        cmocka_unit_test_setup(registers_refuse_what_they_must, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
