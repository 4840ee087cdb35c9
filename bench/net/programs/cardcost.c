/* SPDX-License-Identifier: MIT */
/*
 * cardcost.c - measures what a driver's calls cost (bench/net), in ticks of the time stamp counter, which under icount
 * are instructions and nanoseconds. Prints lines `bench NAME MINIMUM MEDIAN SAMPLES`.
 *
 * The card's counter makes the interrupts: it begins at 0 when it is written, adds one each 30 ns of the emulator's
 * clock, and interrupts at a value. The core sleeps meanwhile. `irq-to-driver` is counted from before the call that
 * begins the counter, less the 30 ns times the value: the first half of that call is in it, too.
 */
#include "../../../user/drivers/rtl8139.h"

#define PROGRAM "cardcost"
#include "../../../user/programs/must.h"
#include "../../include/ticks.h"

#define WARM       8
#define SAMPLES    1000
#define COUNTER    0x48
#define INTERRUPTS 0x54 /* at which value of the counter; 0: never */
#define BY_COUNTER 0x4000
#define VALUE      1000
#define PERIOD     30u

static struct card card;
static uint64_t sample[SAMPLES], overhead;

static void report(const char *name)
{
    qsort(sample, SAMPLES, sizeof(*sample), by_size);
    printf("bench %s %llu %llu %u\n", name, (unsigned long long)(sample[0] - overhead),
           (unsigned long long)(sample[SAMPLES / 2] - overhead), SAMPLES);
}

#define MEASURE(name, action)                                                                                          \
    do {                                                                                                               \
        for (int i = -WARM; i < SAMPLES; i++) {                                                                        \
            uint64_t t0 = ticks();                                                                                     \
            action;                                                                                                    \
            uint64_t t1 = ticks();                                                                                     \
            if (i >= 0)                                                                                                \
                sample[i] = t1 - t0;                                                                                   \
        }                                                                                                              \
        report(name);                                                                                                  \
    } while (0)

static void interrupts(void)
{
    MUST(card_write(&card, CARD_IMR, 2, BY_COUNTER) == 0);
    for (int i = -WARM; i < SAMPLES; i++) {
        card_write(&card, INTERRUPTS, 4, VALUE);
        uint64_t t0 = ticks();
        card_write(&card, COUNTER, 4, 0);
        int64_t err = amalgam_irq_wait(card.device, AMALGAM_NEVER);
        uint64_t t1 = ticks();
        MUST(err == 0 && card_read(&card, CARD_ISR, 2) & BY_COUNTER);
        card_write(&card, INTERRUPTS, 4, 0);
        card_write(&card, CARD_ISR, 2, 0xffff);
        MUST(amalgam_irq_done(card.device) == 0);
        if (i >= 0)
            sample[i] = t1 - t0 - VALUE * PERIOD;
    }
    report("irq-to-driver");
}

int main(void)
{
    RESULT(card_open(&card, 0));
    MUST(card_write(&card, CARD_IMR, 2, 0) == 0);
    for (int i = 0; i < SAMPLES; i++) {
        uint64_t t0 = ticks();
        sample[i] = ticks() - t0;
    }
    qsort(sample, SAMPLES, sizeof(*sample), by_size);
    overhead = sample[0];
    unsigned device = card.device;
    MEASURE("device-read", amalgam_device_read(device, CARD_ISR, 2));
    MEASURE("device-write", amalgam_device_write(device, CARD_IMR, 2, 0));
    MEASURE("irq-done-nothing", amalgam_irq_done(device));
    interrupts();
    puts("cardcost: done");
    return 0;
}
