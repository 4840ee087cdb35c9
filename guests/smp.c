/* SPDX-License-Identifier: MIT */
/*
 * smp - starts the other CPUs (cpus=, default 2) and plays ping-pong with each by interprocessor interrupts; both sides
 * halt while they wait. rounds=1000
 */
#include <guest.h>

#define PING 0x41
#define PONG 0x42

static volatile uint64_t pings, pongs;
static volatile uint32_t boss;

static void on_ping(struct trap_frame *f)
{
    (void)f;
    pings++;
    apic_eoi();
    apic_ipi(boss, PONG);
}

static void on_pong(struct trap_frame *f)
{
    (void)f;
    pongs++;
    apic_eoi();
}

static void other(void)
{
    for (;;)
        wait_irq();
}

void guest_main(void)
{
    uint32_t cpus = arg_number("cpus", 2);
    uint64_t rounds = arg_number("rounds", 1000), up = 1;
    apic_enable();
    boss = apic_id();
    trap_install(PING, on_ping);
    trap_install(PONG, on_pong);
    for (uint32_t id = 1; id < cpus; id++) {
        if (!smp_start(id, other)) {
            print("smp: cpu %u does not answer\n", id);
            continue;
        }
        up++;
        uint64_t t0 = rdtsc();
        for (uint64_t i = 0; i < rounds; i++) {
            uint64_t before = pongs;
            apic_ipi(id, PING);
            while (pongs == before)
                wait_irq();
        }
        print("smp: cpu %u up, %lu rounds, %lu ticks each\n", id, rounds, (rdtsc() - t0) / (rounds ? rounds : 1));
    }
    print("smp: %lu of %u cpus, pings=%lu pongs=%lu\n", up, cpus, pings, pongs);
}
