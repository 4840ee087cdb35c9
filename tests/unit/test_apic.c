/* SPDX-License-Identifier: MIT */
/* A panic stops the cores that are there, whichever have left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <arch/apic.h>
#include <arch/direct.h>
#include <arch/boot.h>
#include <core/cpu.h>
#include <hal/cpu.h>
#include <hal/memory.h>

#define ICR_NMI (4u << 8)
#define REG(r)  (r) * 4 /* in words: a register every 16 bytes */

static struct cpuid_regs answer(u32 leaf, u32 sub) { return (struct cpuid_regs){ 0 }; }
struct cpuid_regs (*host_cpuid)(u32 leaf, u32 sub) = answer;
u64 host_cr4, written_pat, written_vm_cr;
struct cpu *host_this_cpu;
bool host_irq_on;
struct cpu *cpus[MAX_CPUS];
unsigned n_cpus;
struct acpi_info machine;
volatile u32 *apic_registers;
static u32 registers[1024];
static struct cpu core[4];

void panic(const char *fmt, ...) { abort(); }
u32 machine_isa_gsi(unsigned irq) { return irq; }
void *hal_map_device(paddr_t base, size_t size) { return NULL; }

static int setup(void **state)
{
    apic_registers = registers;
    memset(registers, 0, sizeof(registers));
    n_cpus = 4;
    for (unsigned i = 0; i < 4; i++) {
        cpus[i] = &core[i];
        core[i].id = i;
        core[i].arch.apic_id = 0x10 + i;
    }
    host_this_cpu = &core[0];
    cpus_stopping = false;
    return 0;
}

static u32 interrupted(void)
{
    assert_int_equal(registers[REG(APIC_ICR)], ICR_NMI);
    return registers[REG(APIC_ICR_HIGH)] >> 24;
}

static void a_panic_stops_the_others(void **state)
{
    apic_stop_others();
    assert_true(cpus_stopping);
    assert_int_equal(interrupted(), 0x13); /* the last of them */
}

static void a_panic_stops_the_others_though_cores_have_left(void **state)
{
    cpus[1] = cpus[2] = NULL;
    apic_stop_others();
    assert_int_equal(interrupted(), 0x13);
}

static void a_core_that_panics_does_not_stop_itself(void **state)
{
    n_cpus = 1;
    apic_stop_others();
    assert_int_equal(registers[REG(APIC_ICR)], 0);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
    const struct CMUnitTest tests[] = {
        T(a_panic_stops_the_others),
        T(a_panic_stops_the_others_though_cores_have_left),
        T(a_core_that_panics_does_not_stop_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
