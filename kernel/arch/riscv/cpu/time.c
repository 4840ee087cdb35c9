/* SPDX-License-Identifier: MIT */
/* time.c - the counter, whose rate the device tree tells, and the one-shot alarm: stimecmp (Sstc), or the firmware's.
 */
#include <arch/boot.h>
#include <arch/cpu.h>
#include <arch/sbi.h>
#include <core/log.h>
#include <hal/cpu.h>
#include <hal/time.h>

u64 time_hz;
static u8 have_stimecmp;

__init_text void time_init(void)
{
    time_hz = machine.time_hz;
    have_stimecmp = machine.sstc;
    printk("time: %llu kHz, alarm by %s\n", time_hz / 1000, have_stimecmp ? "stimecmp" : "SBI");
}

__init_text void time_init_hart(void) { hal_timer_arm(TICKS_NEVER); }

ticks_t time_from_ns(u64 ns) { return mul_div(ns, time_hz, 1000000000); }
u64 time_to_ns(ticks_t t) { return mul_div(t, 1000000000, time_hz); }

/* No alarm means a masked interrupt, not a far deadline: an emulator whose time jumps to the next alarm would go
 * there. */
void hal_timer_arm(ticks_t deadline)
{
    csr_clear(sie, SIE_STIE);
    if (deadline == TICKS_NEVER)
        return;
    if (have_stimecmp)
        write_stimecmp(deadline);
    else
        sbi_set_timer(deadline);
    csr_set(sie, SIE_STIE);
}

/*
 * Let other harts run.
 *
 * The emulator runs a hart until it waits. A wait that ends at once will do, so we set the alarm to a time in the past.
 * Without stimecmp we raise a software interrupt as cpu_relax() does, and that one stays pending.
 */
void cpu_give_way(void)
{
    if (!have_stimecmp) {
        cpu_relax();
        return;
    }
    u64 at = clear_stimecmp();
    unsigned long enabled = csr_read_set(sie, SIE_STIE);
    __asm__ volatile("wfi" ::: "memory");
    write_stimecmp(at);
    csr_write(sie, enabled);
}

bool cpu_is_due(void) { return csr_read(sip) & csr_read(sie); }
