/* SPDX-License-Identifier: MIT */
/*
 * rtc.c - the MC146818 clock: time of day, alarm, periodic interrupt, 114 bytes of
 * non-volatile memory (Motorola MC146818A data sheet; century in byte 32h as ACPI's
 * FADT says).
 *
 * The guest's clock is the host's wall clock plus an offset that the guest moves by
 * setting the time.  Nothing ticks: register C's flags are worked out from the time
 * that has passed since they were last looked at, and a host timer is armed only
 * for the next event whose interrupt is enabled, and not while IRQ8 is still
 * asserted.  The fastest rate, 8192 Hz, is therefore all that a guest can ask for.
 * NVRAM and the clock survive a reset of the guest.
 */
#include <mc146818.h>

#include "pc_devices.h"

#define RTC_GSI 8
#define NS      1000000000ul
#define UIP_NS  244000 /* the update is announced this long before the second changes */

static u64 guest_ns(const struct rtc *r) { return hal_wall_clock_ns() + (u64)r->offset * NS; }

static u8 encode(const struct rtc *r, u32 v) { return r->reg[B] & B_BINARY ? v : v / 10 % 10 << 4 | v % 10; }

static u8 encode_hour(const struct rtc *r, u32 h)
{
    if (r->reg[B] & B_24H)
        return encode(r, h);
    return encode(r, (h + 11) % 12 + 1) | (h >= 12 ? 0x80 : 0);
}

/* Time registers from the clock: proleptic Gregorian, the year begins in March so that leap days come last. */
static void store_time(struct rtc *r, u64 seconds)
{
    u32 t = seconds % DAY, days = seconds / DAY + 719468; /* since 1 March of year 0 */
    u32 era = days / 146097, doe = days % 146097;
    u32 yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    u32 doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
    u32 month = mp < 10 ? mp + 3 : mp - 9, year = yoe + era * 400 + (month <= 2);
    r->reg[SECONDS] = encode(r, t % 60);
    r->reg[MINUTES] = encode(r, t / 60 % 60);
    r->reg[HOURS] = encode_hour(r, t / 3600);
    r->reg[WEEKDAY] = (days + 3) % 7 + 1; /* 1 is Sunday */
    r->reg[MONTHDAY] = encode(r, doy - (153 * mp + 2) / 5 + 1);
    r->reg[MONTH] = encode(r, month);
    r->reg[YEAR] = encode(r, year % 100);
    r->reg[CENTURY] = encode(r, year / 100);
}

/* The clock from the time registers; nonsense in them gives some time, never trouble. */
static void load_time(struct rtc *r)
{
    s64 t = mc146818_seconds(r->reg);
    r->offset = MAX(t, 0) - (s64)(hal_wall_clock_ns() / NS);
    r->seen = guest_ns(r);
}

/* Nanoseconds between periodic interrupts; 0: off. Rates 1 and 2 repeat 8 and 9. */
static u64 period(const struct rtc *r)
{
    unsigned rate = r->reg[A] & 15;
    return rate ? NS << ((rate < 3 ? rate + 7 : rate) - 1) >> 15 : 0;
}

static bool dont_care(u8 alarm) { return alarm >= 0xc0; }

/* Seconds until the alarm next matches, counted from guest second `s`, at least 1; 0: it never does. */
static u32 alarm_in(const struct rtc *r, u64 s)
{
    u32 want_s = mc146818_decode(r->reg, r->reg[SECONDS_ALARM]);
    u32 want_m = mc146818_decode(r->reg, r->reg[MINUTES_ALARM]);
    u32 want_h = mc146818_decode_hour(r->reg, r->reg[HOURS_ALARM]);
    bool any_s = dont_care(r->reg[SECONDS_ALARM]), any_m = dont_care(r->reg[MINUTES_ALARM]);
    bool any_h = dont_care(r->reg[HOURS_ALARM]);
    u32 from = s % DAY, t = from + 1;
    if ((!any_s && want_s > 59) || (!any_m && want_m > 59) || (!any_h && want_h > 23))
        return 0;
    if (!any_s)
        t += (want_s + 60 - t % 60) % 60;
    for (; !any_m && t / 60 % 60 != want_m; t += 60)
        if (any_s)
            t -= t % 60;
    for (; !any_h && t / 3600 % 24 != want_h; t += 3600) {
        if (any_m)
            t -= t / 60 % 60 * 60;
        if (any_s)
            t -= t % 60;
    }
    return t - from;
}

static void drive(struct rtc *r)
{
    r->reg[C] &= ~IRQF;
    if (r->reg[C] & r->reg[B] & (B_PIE | B_AIE | B_UIE))
        r->reg[C] |= IRQF;
    vm_irq_line(r->dev.vm, RTC_GSI, r->reg[C] & IRQF);
}

/* Set the flags of all that happened since the last look. The flag bits of C are where B has their enables. */
static void catch_up(struct rtc *r)
{
    u64 now = guest_ns(r), last = r->seen, p = period(r);
    if (now < last)
        last = now; /* the clock was set back, or to a year that nanoseconds do not reach */
    r->seen = now;
    if (p && now / p != last / p)
        r->reg[C] |= B_PIE;
    if (!(r->reg[B] & B_SET) && now / NS != last / NS) {
        u32 alarm = alarm_in(r, last / NS);
        r->reg[C] |= B_UIE;
        if (alarm && last / NS + alarm <= now / NS)
            r->reg[C] |= B_AIE;
    }
    drive(r);
}

static void arm(struct rtc *r)
{
    u64 at = -1ul, p = period(r), s = r->seen / NS;
    u8 enabled = r->reg[B];
    if (p && (enabled & B_PIE))
        at = (r->seen / p + 1) * p;
    if (enabled & B_SET)
        enabled = 0;
    if (enabled & B_UIE)
        at = MIN(at, (s + 1) * NS);
    u32 alarm = enabled & B_AIE ? alarm_in(r, s) : 0;
    if (alarm)
        at = MIN(at, (s + alarm) * NS);
    if (at == -1ul || (r->reg[C] & IRQF))
        timer_cancel(&r->timer);
    else
        timer_arm(&r->timer, time_now() + time_from_ns(at - r->seen) + 1);
}

static void fire(void *arg)
{
    struct rtc *r = arg;
    unsigned long flags = spin_lock_irqsave(&r->dev.lock);
    catch_up(r);
    arm(r);
    spin_unlock_irqrestore(&r->dev.lock, flags);
}

static bool is_time(unsigned i) { return i == CENTURY || (i <= YEAR && (i >= WEEKDAY || !(i & 1))); }

static u64 rtc_read(struct vdev *d, u32 offset, unsigned size)
{
    struct rtc *r = container_of(d, struct rtc, dev);
    unsigned i = r->index;
    if (offset == 0)
        return 0xff; /* the index is write-only */
    bool set = r->reg[B] & B_SET;
    if (is_time(i) && !set)
        store_time(r, guest_ns(r) / NS);
    if (i == A)
        return r->reg[A] | (!set && guest_ns(r) % NS >= NS - UIP_NS ? 0x80 : 0);
    if (i != C)
        return r->reg[i];
    catch_up(r);
    u8 v = r->reg[C];
    r->reg[C] = 0;
    drive(r);
    arm(r);
    return v;
}

static void rtc_write(struct vdev *d, u32 offset, unsigned size, u64 value)
{
    struct rtc *r = container_of(d, struct rtc, dev);
    unsigned i = r->index;
    bool set = r->reg[B] & B_SET;
    if (offset == 0) {
        r->index = value & 0x7f; /* bit 7 masks NMI, which nobody sends */
        return;
    }
    if (i == C || i == D)
        return;
    if (i > D && i != CENTURY) {
        r->reg[i] = value;
        return;
    }
    catch_up(r);
    if (!set) /* a part of the time, or B's format or SET, changes: begin from the time that it is */
        store_time(r, r->seen / NS);
    r->reg[i] = i == A ? value & 0x7f : value;
    if (i == B && (value & B_SET))
        r->reg[B] &= ~B_UIE;
    if (is_time(i) ? !set : i == B && set && !(value & B_SET))
        load_time(r);
    drive(r);
    arm(r);
}

static void rtc_reset(struct vdev *d)
{
    struct rtc *r = container_of(d, struct rtc, dev);
    timer_cancel(&r->timer);
    r->reg[A] = 0x26; /* 32768 Hz crystal, rate 1024 Hz */
    r->reg[B] = B_24H;
    r->reg[C] = 0;
    r->reg[D] = 0x80; /* the battery is good */
    r->index = 0;
    r->seen = guest_ns(r);
    drive(r);
}

static const struct vdev_ops rtc_ops = { "rtc", rtc_read, rtc_write, rtc_reset };

__init_text int rtc_create(struct vm *vm, struct rtc *r)
{
    r->dev = (struct vdev){ .ops = &rtc_ops, .vm = vm };
    timer_init(&r->timer, fire, r);
    rtc_reset(&r->dev);
    return vm_claim_pio(vm, 0x70, 2, &r->dev);
}
