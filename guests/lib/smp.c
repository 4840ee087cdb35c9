/* SPDX-License-Identifier: MIT */
/* smp.c - starts other CPUs by INIT and two STARTUPs (Intel MP specification B.4), one at a time. */
#include <guest.h>

#define TRAMPOLINE 0x8000

extern const uint8_t trampoline[], trampoline_end[];
extern uint64_t ap_stack, ap_main;
static uint8_t stacks[MAX_CPUS][8192] __attribute__((aligned(16)));
static volatile bool answered;
static unsigned booting; /* APIC id of the CPU that is being started */
void trap_load(unsigned cpu);

/* Called by start.S on the new CPU. */
void ap_c(void)
{
    void (*entry)(void) = (void (*)(void))ap_main;
    trap_load(booting);
    apic_enable();
    answered = true;
    entry();
}

static void wait_us(uint64_t us)
{
    for (uint64_t end = rdtsc() + us_to_tsc(us); rdtsc() < end;)
        cpu_relax();
}

bool smp_start(uint32_t id, void (*main)(void))
{
    if (id >= MAX_CPUS)
        return false;
    memcpy((void *)TRAMPOLINE, trampoline, trampoline_end - trampoline);
    ap_stack = (uintptr_t)stacks[id] + sizeof(stacks[id]);
    ap_main = (uintptr_t)main;
    booting = id;
    answered = false;
    apic_ipi(id, 0x4500); /* INIT, assert */
    wait_us(10000);
    for (int tries = 0; tries < 2 && !answered; tries++) {
        apic_ipi(id, 0x4600 | TRAMPOLINE >> 12);
        wait_us(200);
    }
    for (uint64_t end = rdtsc() + us_to_tsc(1000000); !answered && rdtsc() < end;)
        cpu_relax();
    return answered;
}
