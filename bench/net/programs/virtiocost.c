/* SPDX-License-Identifier: MIT */
/*
 * virtiocost.c - measures what calls of a virtio card's driver cost (bench/net), in nanoseconds of the clock, which
 * under icount are instructions. The board's clock has steps of 100 ns, so a sample is many calls, in lots that a queue
 * has room for. Prints lines `bench NAME MINIMUM MEDIAN SAMPLES`, of one call each.
 */
#include "../../../user/drivers/virtio-net.h"

#define PROGRAM "virtiocost"
#include <stdlib.h>

#include "../../../user/programs/must.h"
#include "../../include/ticks.h"

#define SAMPLES 11
#define CALLS   1024u
#define LOT     32u /* calls between two readings of the clock */

static struct card card;
static uint64_t sample[SAMPLES], clock_takes;

static void report(const char *name)
{
    qsort(sample, SAMPLES, sizeof(*sample), by_size);
    printf("bench %s %llu %llu %u\n", name, (unsigned long long)(sample[0] / CALLS),
           (unsigned long long)(sample[SAMPLES / 2] / CALLS), SAMPLES);
}

/* What a lot of `call` takes, without reading the clock. */
static uint64_t lot(int64_t (*call)(void))
{
    uint64_t t0 = amalgam_clock();
    for (unsigned i = 0; i < LOT; i++)
        MUST(call() >= 0);
    return amalgam_clock() - t0;
}

static int64_t nothing(void) { return 0; }
static int64_t read_address(void) { return amalgam_device_read(card.device, 0, 1); }
static int64_t submit(void) { return amalgam_dma_submit(card.device, CARD_GOES, CARD_MEMORY / 2, CARD_HEAD + 60); }
static int64_t done(void) { return amalgam_dma_done(card.device, CARD_GOES); }
static int64_t irq_done(void) { return amalgam_irq_done(card.device); }

/* Wait until the card has sent a lot: the next one finds its queue empty. */
static void settle(void)
{
    for (unsigned left = LOT; left;)
        if (done() >= 0)
            left--;
}

/* `before` and `after` are not measured. */
static void measure(const char *name, int64_t (*call)(void), void (*before)(void), void (*after)(void))
{
    for (unsigned i = 0; i < SAMPLES; i++) {
        sample[i] = 0;
        for (unsigned n = 0; n < CALLS / LOT; n++) {
            if (before)
                before();
            sample[i] += lot(call);
            if (after)
                after();
        }
        sample[i] -= sample[i] < clock_takes ? sample[i] : clock_takes;
    }
    if (name)
        report(name);
}

static void send_lot(void)
{
    for (unsigned i = 0; i < LOT; i++)
        MUST(submit() >= 0);
    amalgam_sleep_until(amalgam_clock() + 1000000); /* the card is done with all */
}

int main(void)
{
    RESULT(card_open(&card, 0));
    measure(NULL, nothing, NULL, NULL);
    qsort(sample, SAMPLES, sizeof(*sample), by_size);
    clock_takes = sample[SAMPLES / 2];
    measure("device-read", read_address, NULL, NULL);
    measure("irq-done-nothing", irq_done, NULL, NULL);
    measure("dma-submit", submit, NULL, settle);
    measure("dma-done", done, send_lot, NULL);
    puts("virtiocost: done");
    return 0;
}
