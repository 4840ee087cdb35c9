/* SPDX-License-Identifier: MIT */
/*
 * How long interrupt messages keep interrupts off: single steps (stretch.h) over the I/O APIC and the local APICs of
 * eight vCPUs, with all inputs level-triggered, of one vector and for all vCPUs. docs/isolation.md has the bound.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <core/cpu.h>
#include <string.h>

#include "pc.h"
#include "stretch.h"

#define BOUND   1200 /* a message to eight vCPUs */
#define IOAPIC  0xfec00000ul
#define INPUTS  48
#define VCPUS   8
#define VECTOR  0x31
#define LEVEL   (1u << 15)
#define ACT_LOW (1u << 13)
enum { IN_KERNEL, HALTED, IN_GUEST, STATES };

struct cpu *host_this_cpu;
bool host_irq_on = true;
ticks_t host_now = 1000;
u64 time_hz = 1000000000;
static struct cpu me;
static struct pc_vm pc;
static struct pc_vcpu cpu[VCPUS];
static struct vmcb vmcb[VCPUS];
static u8 device[PAGE_SIZE] __attribute__((aligned(16)));
static unsigned wakes, rings;

ticks_t time_from_ns(u64 ns) { return ns; }
u64 time_to_ns(ticks_t t) { return t; }
void timer_init(struct timer *t, void (*fn)(void *), void *arg) {}
void timer_arm(struct timer *t, ticks_t deadline) {}
bool timer_cancel(struct timer *t) { return false; }
struct pc_parts *pc_parts(struct vm *vm) { return &pc.parts; }
void *vm_device_alloc(struct vm *vm) { return device; }
void pit_wake(struct vm *vm) {}

static void take_all(struct vcpu *v) { pc_of(v)->lapic.irr[VECTOR / 32] = 0; }

/* As run.c has it, but that a wake-up and a ring cost nothing here. Whoever is kicked takes its interrupt at once, and
 * so is kicked again by the next message. */
void vcpu_kick(struct vcpu *v)
{
    mp_fence();
    take_all(v);
    if (READ_ONCE(v->halted)) {
        wakes++;
    } else if (READ_ONCE(v->in_guest) && v->core != this_cpu()->id) {
        v->kicks++;
        rings++;
    }
}
void vcpu_request(struct vcpu *v, u32 request)
{
    __atomic_fetch_or(&v->requests, request, __ATOMIC_SEQ_CST);
    vcpu_kick(v);
}

static void store(u32 offset, u32 value)
{
    u64 v = value;
    io_access(&pc.vm.mmio, IOAPIC + offset, 4, true, &v);
}
static void set(unsigned reg, u32 value)
{
    store(0, reg);
    store(0x10, value);
}

/* All inputs are active and in service. */
static void all_in_service(unsigned state)
{
    for (unsigned i = 1; i < VCPUS; i++) {
        cpu[i].vcpu.halted = state == HALTED;
        cpu[i].vcpu.in_guest = state == IN_GUEST;
    }
    for (unsigned i = 0; i < INPUTS; i++) {
        set(0x11 + 2 * i, 0xff000000);
        set(0x10 + 2 * i, VECTOR | ACT_LOW | LEVEL);
    }
    for (unsigned i = 0; i < VCPUS; i++)
        take_all(&cpu[i].vcpu);
    wakes = rings = 0;
}

static int setup(void **state)
{
    host_this_cpu = &me;
    memset(&pc, 0, sizeof(pc));
    memset(device, 0, sizeof(device));
    pc.vm.n_vcpus = VCPUS;
    for (unsigned i = 0; i < VCPUS; i++) {
        pc.vm.vcpu[i] = &cpu[i].vcpu;
        cpu[i].vcpu.vm = &pc.vm;
        cpu[i].vcpu.id = cpu[i].vcpu.core = i;
        cpu[i].vcpu.hal.vmcb = &vmcb[i];
        lapic_init(&cpu[i]);
        lapic_reset(&cpu[i]);
        lapic_write(&cpu[i], 0x0f, 0x1ff);
    }
    return ioapic_create(&pc.vm);
}

static void by_register(void)
{
    store(0x40, VECTOR);
    ioapic_sample(&pc.vm);
}
static void by_local_apic(void) { ioapic_eoi(&pc.vm, VECTOR); }

static void end_all(void (*eoi)(void))
{
    for (unsigned s = 0; s < STATES; s++) {
        all_in_service(s);
        count();
        eoi();
        unsigned found = counted();
        print_message("%u instructions of %u\n", found, steps);
        assert_in_range(found, 200, BOUND);
        assert_int_equal(s == HALTED ? wakes : s == IN_GUEST ? rings : INPUTS * 7, INPUTS * 7); /* all came again */
    }
}

static void an_eoi_by_register_samples_an_input_at_a_time(void **state) { end_all(by_register); }
static void an_eoi_by_a_local_apic_samples_an_input_at_a_time(void **state) { end_all(by_local_apic); }

/* What a virtio device's completion adds to its notification, and one more register's write. */
static void a_line_that_rises_is_one_message(void **state)
{
    all_in_service(IN_GUEST);
    set(0x10 + 2 * 17, VECTOR);
    host_irq_on = false;
    count();
    ioapic_line(&pc.vm, 17, true);
    unsigned found = counted();
    host_irq_on = true;
    print_message("%u instructions\n", found);
    assert_in_range(found, 200, BOUND);
    assert_int_equal(rings, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_eoi_by_register_samples_an_input_at_a_time, setup),
        cmocka_unit_test_setup(an_eoi_by_a_local_apic_samples_an_input_at_a_time, setup),
        cmocka_unit_test_setup(a_line_that_rises_is_one_message, setup),
    };
    stretch_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
