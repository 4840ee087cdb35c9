/* SPDX-License-Identifier: MIT */
/* Vectors that arrive on a core beside Linux: who owns Linux can have any of them sent to any core. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <arch/apic.h>
#include <arch/trap.h>
#include <core/cpu.h>
#include <core/split.h>
#include <hal/cpu.h>
#include <hal/upcalls.h>

#include "../../kernel/arch/x86/attach/linux_cpu.h"

static struct cpuid_regs answer(u32 leaf, u32 sub) { return (struct cpuid_regs){ 0 }; }
struct cpuid_regs (*host_cpuid)(u32 leaf, u32 sub) = answer;
u64 host_cr4, written_pat, written_vm_cr, time_hz;
struct cpu *host_this_cpu;
bool host_irq_on, cpus_stopping;
const char msr_at_risk_read[1], msr_at_risk_write[1], msr_failed[1];

static struct cpu core[2];
static unsigned console_port[2], consoles, splits, eois;

void *page_alloc(void) { return NULL; }
void printk(const char *fmt, ...) {}
void panic(const char *fmt, ...) { abort(); }
void hal_halt(void) { abort(); }
static bool ending;
static jmp_buf stopped;
bool cores_ending(void) { return ending; }
void core_stop_here(void) { longjmp(stopped, 1); }
static unsigned traps;
void core_trap(const char *what, const struct trap_frame *f)
{
    traps++;
    longjmp(stopped, 1);
}
void core_irq_timer(void) {}
void core_irq_ipi(void) {}
void core_irq_exit(void) {}
void apic_eoi(void) { eois++; }
static int in_service; /* a vector; -1: none */
bool apic_in_service(unsigned vector) { return in_service == (int)vector; }
void split_irq(void) { splits++; }
void core_clock_answer(void) {}
void core_irq_console(unsigned port)
{
    console_port[consoles % 2] = port;
    consoles++;
}

static void arrives(unsigned at, u8 vector)
{
    struct trap_frame f = { .vector = vector };
    host_this_cpu = &core[at];
    trap_dispatch(&f);
}

static int setup(void **state)
{
    core[1].id = 1;
    consoles = splits = eois = traps = 0;
    unexpected_interrupts = 0;
    return 0;
}

static void console_and_doorbell_are_taken_by_core_0(void **state)
{
    arrives(0, VEC_CONSOLE0);
    arrives(0, VEC_CONSOLE1);
    arrives(0, VEC_SPLIT);
    assert_int_equal(consoles, 2);
    assert_int_equal(console_port[0], 0);
    assert_int_equal(console_port[1], 1);
    assert_int_equal(splits, 1);
    assert_int_equal(eois, 3);
    assert_int_equal(unexpected_interrupts, 0);
}

static void an_nmi_stops_a_core_when_all_are_to_stop(void **state)
{
    arrives(1, VEC_NMI);
    assert_int_equal(unexpected_interrupts, 1);
    ending = true;
    if (!setjmp(stopped)) {
        arrives(1, VEC_NMI);
        fail();
    }
    ending = false;
    assert_int_equal(unexpected_interrupts, 1);
}

static void sent_to_another_core_they_are_counted_and_ended(void **state)
{
    arrives(1, VEC_CONSOLE0);
    arrives(1, VEC_CONSOLE1);
    arrives(1, VEC_SPLIT);
    assert_int_equal(consoles + splits, 0);
    assert_int_equal(eois, 3);
    assert_int_equal(unexpected_interrupts, 3);
}

/* 255 as the local APIC gives it when there is nothing (APM vol. 2, 16.4.7), and as a device can send it. */
static void a_real_interrupt_is_told_from_a_spurious_one(void **state)
{
    in_service = -1;
    arrives(1, VEC_SPURIOUS);
    assert_int_equal(eois, 0);
    assert_int_equal(unexpected_interrupts, 0);
    in_service = VEC_SPURIOUS;
    arrives(1, VEC_SPURIOUS);
    assert_int_equal(eois, 1);
    assert_int_equal(unexpected_interrupts, 1);
}

static void every_vector_that_no_core_expects_is_ended_and_counted(void **state)
{
    for (unsigned vector = 16; vector < 256; vector++) {
        if (vector == VEC_TIMER || vector == VEC_IPI)
            continue;
        eois = 0;
        unexpected_interrupts = 0;
        in_service = (int)vector;
        arrives(1, vector >= 32 && vector < VEC_IRQ_FIRST ? 32 : (u8)vector);
        assert_int_equal(eois, 1);
        assert_int_equal(unexpected_interrupts, 1);
    }
}

static void an_nmi_is_no_interrupt(void **state)
{
    in_service = -1;
    arrives(1, VEC_NMI);
    assert_int_equal(eois, 0);
    assert_int_equal(unexpected_interrupts, 1);
}

/* The I/O APIC delivers a vector of the 8259's without the local APIC's knowing (ExtINT), so none is in service. */
static void a_vector_of_the_8259_below_16_is_taken_for_an_exception(void **state)
{
    in_service = -1;
    for (volatile u8 vector = 0; vector < 16; vector++) {
        if (vector == VEC_NMI)
            continue;
        traps = 0;
        if (!setjmp(stopped))
            arrives(1, vector);
        assert_int_equal(traps, 1);
    }
    assert_int_equal(eois + unexpected_interrupts, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(console_and_doorbell_are_taken_by_core_0, setup),
        cmocka_unit_test_setup(an_nmi_stops_a_core_when_all_are_to_stop, setup),
        cmocka_unit_test_setup(sent_to_another_core_they_are_counted_and_ended, setup),
        cmocka_unit_test_setup(a_real_interrupt_is_told_from_a_spurious_one, setup),
        cmocka_unit_test_setup(every_vector_that_no_core_expects_is_ended_and_counted, setup),
        cmocka_unit_test_setup(an_nmi_is_no_interrupt, setup),
        cmocka_unit_test_setup(a_vector_of_the_8259_below_16_is_taken_for_an_exception, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
