/* SPDX-License-Identifier: MIT */
/*
 * rtc.c - the MC146818 clock: time of day, alarm, periodic interrupt, 114 bytes of non-volatile memory (Motorola
 * MC146818A data sheet; the century is in byte 32h as ACPI's FADT says).
 *
 * The guest's clock is the host's wall clock plus an offset, which the guest changes by setting the time. It counts
 * periods of the part's crystal, so a periodic interrupt is the change of one bit. There is no tick. The flags of
 * register C are computed from the time since the last update. A host timer is armed only for the next event whose
 * interrupt is enabled, and not while IRQ8 is asserted; so a guest gets at most the fastest rate, 8192 Hz. Memory and
 * clock survive a reset of the guest, but for the bytes in which firmware says how much memory there is.
 */
#include <bytes.h>
#include <mc146818.h>
#include <string.h>
#include <vm/places.h>
#include "pc_devices.h"

#define RTC_GSI 8
#define NS      1000000000ul
#define HZ      32768 /* the crystal; all times here count its periods */
#define SECOND  15    /* log2 of the periods of a second */
#define UIP     8     /* the update bit is set this long before the second changes */
#define NEVER   (1ull << 63)

/* Returns the first time after `now` that matches the alarm. An alarm register with its two highest bits set matches
 * any value. */
static u64 alarm_at(const struct rtc *r, u64 now)
{
    static const struct hand {
        u16 unit; /* seconds */
        u8 count, alarm;
    } hands[] = { { 3600, 24, HOURS_ALARM }, { 60, 60, MINUTES_ALARM }, { 1, 60, SECONDS_ALARM } };
    u64 s = (now >> SECOND) + 1;
    u32 from = s % DAY, t = from;
    for (const struct hand *h = hands; h < hands + ARRAY_SIZE(hands);) {
        u32 want = mc146818_get(r->reg, h->alarm), have = t / h->unit % h->count;
        if (r->reg[h->alarm] >= 0xc0 || have == want) {
            h++;
            continue;
        }
        if (want >= h->count)
            return NEVER;
        t += (want + h->count - have) % h->count * h->unit - t % h->unit; /* the begin of that unit */
        h = hands; /* start again: larger units may have changed, smaller ones are 0; at most a dozen turns in all */
    }
    return (s - from + t) << SECOND;
}

/* Returns when the event of `flag` in register C next occurs after `now`. Rates 1 and 2 repeat 8 and 9; 0 is off. */
static u64 next_event(const struct rtc *r, u8 flag, u64 now)
{
    unsigned rate = r->reg[A] & 15, bit = SECOND; /* the event is a change of this bit of the time */
    if (flag == B_PIE)
        bit = rate == 0 ? 63 : rate < 3 ? rate + 6 : rate - 1;
    else if (r->reg[B] & B_SET)
        return NEVER;
    else if (flag == B_AIE)
        return alarm_at(r, now);
    return ((now >> bit) + 1) << bit;
}

/*
 * Set the flags of all events since the last update, set the time registers and the interrupt line, and arm the timer
 * for the next event. Flags in C and their enables in B have the same bits.
 */
static void rtc_update(struct rtc *r)
{
    u8 *reg = r->reg;
    u64 ns = hal_wall_clock_ns(), last = r->seen, now = r->seen = mul_div(ns, HZ, NS) + r->offset, at = NEVER;
    reg[C] &= ~IRQF;
    for (unsigned flag = B_UIE; flag <= B_PIE; flag <<= 1) {
        u64 next = next_event(r, flag, last);
        if (next <= now) {
            reg[C] |= flag;
            next = next_event(r, flag, now);
        }
        if (!(reg[B] & flag))
            continue;
        if (reg[C] & flag)
            reg[C] |= IRQF;
        at = MIN(at, next);
    }
    if (!(reg[B] & B_SET))
        mc146818_set_time(reg, now >> SECOND);
    vm_irq_line(r->dev.vm, RTC_GSI, reg[C] & IRQF);
    timer_arm(&r->timer,
              at >= NEVER || reg[C] & IRQF ? TICKS_NEVER : time_after(mul_div(at - r->offset, NS, HZ) + 1 - ns) + 1);
}

static void fire(void *arg)
{
    struct rtc *r = arg;
    unsigned long flags = spin_lock_irqsave(&r->dev.lock);
    rtc_update(r);
    spin_unlock_irqrestore(&r->dev.lock, flags);
}

static u64 rtc_read(struct vdev *d, u32 offset, unsigned size)
{
    struct rtc *r = container_of(d, struct rtc, dev);
    if (offset == 0)
        return 0xff; /* the index is write-only */
    rtc_update(r);
    u8 v = r->reg[r->index];
    if (r->index == C) {
        r->reg[C] = 0;
        rtc_update(r);
    }
    if (r->index == A && !(r->reg[B] & B_SET) && r->seen % HZ >= HZ - UIP)
        v |= 0x80;
    return v;
}

static void rtc_write(struct vdev *d, u32 offset, unsigned size, u64 value)
{
    struct rtc *r = container_of(d, struct rtc, dev);
    unsigned i = r->index;
    bool set = r->reg[B] & B_SET;
    if (offset == 0) {
        r->index = value & 0x7f; /* bit 7 masks NMI, and there is none */
        return;
    }
    if (i == C || i == D)
        return;
    rtc_update(r); /* if the time, or B's format or SET, changes: start from the present time */
    r->reg[i] = value;
    r->reg[A] &= 0x7f;
    if (r->reg[B] & B_SET)
        r->reg[B] &= ~B_UIE;
    else if ((i == B) == set) { /* the time was set, in parts or as a whole; an invalid time becomes some time */
        u64 moved = (mc146818_time(r->reg) - (r->seen >> SECOND)) << SECOND;
        r->offset += moved;
        r->seen += moved;
    }
    rtc_update(r);
}

/* Say how much memory there is, as a PC's firmware does: 15h KiB below 1 MiB; 17h and 30h KiB above; 34h pieces of 64
 * KiB above 16 MiB; 5Bh pieces of 64 KiB above 4 GiB, three bytes. */
static void put_memory_size(u8 *reg, const struct guest_memory *m)
{
    const struct guest_range *last = &m->range[m->n - 1];
    u64 end = last->gpa + last->size, high = end > 4 * GIB ? end - 4 * GIB : 0, low = high ? RAM_HOLE : end;
    u32 kib = (u32)MIN((low - MIB) / KIB, 0xffffu); /* no guest has less than 2 MiB (vm/load) */
    put16(reg + 0x15, 640);
    put16(reg + 0x17, kib);
    put16(reg + 0x30, kib);
    put16(reg + 0x34, low > 16 * MIB ? (u16)MIN((low - 16 * MIB) >> 16, 0xffffu) : 0);
    put16(reg + 0x5b, (u16)(high >> 16));
    reg[0x5d] = (u8)(high >> 32);
}

static void rtc_reset(struct vdev *d)
{
    static const u8 power_on[] = { 0x26, B_24H, 0,
                                   0x80 }; /* A: 32768 Hz crystal, rate 1024 Hz; D: the battery is good */
    struct rtc *r = container_of(d, struct rtc, dev);
    r->index = 0;
    rtc_update(r);
    memcpy(&r->reg[A], power_on, sizeof(power_on));
    put_memory_size(r->reg, vm_memory(d->vm));
    rtc_update(r);
}

PC_DEVICE(rtc, .ops = { "rtc", rtc_read, rtc_write, rtc_reset, 1 }, .at = offsetof(struct pc_devices, rtc),
          .ports = { { 0x70, 2 } }, .fire = fire);
