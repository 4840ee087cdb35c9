/* SPDX-License-Identifier: MIT */
/*
 * demo.c - a set of tasks like that of a controller, which measures their timing.
 *   control   every 5 ticks: one step of a PI controller on a simulated motor; its lateness is the printed jitter
 *   sensor    every 10 ticks: sends a sample through a queue
 *   logger    receives samples; a sample out of order is an error
 *   report    every second
 *   background  reads the time base all the time: a hole in it is another guest's window
 * tick_us=1000 seconds=0 (for ever) quiet=0 (1: only the last line)
 */
#include "rtos.h"

struct figures {
    u32 n, min, max, sum; /* lateness of `control` in ticks of the time base */
    u32 missed;           /* periods that were missed completely */
};
static struct figures control_late;
static u32 hole_max, holes, samples, disorder, steps;
static s32 speed;
static struct queue channel;
static u32 channel_words[8];

static u32 to_us(u32 units) { return units / 333; }

static void control(void *unused)
{
    s32 integral = 0;
    (void)unused;
    for (u32 due = rtos_ticks() + 5;; due += 5) {
        task_sleep_until(due);
        u32 late = ticks() - rtos_tick_time(due);
        struct figures *f = &control_late;
        f->n++;
        f->sum += late / 16; /* in units of 16 ticks, so that it wraps only after more lateness than occurs */
        f->max = late > f->max ? late : f->max;
        f->min = late < f->min ? late : f->min;
        s32 error = 1000 - speed;
        integral += error;
        speed += (error / 4 + integral / 64 - speed / 8) / 4;
        steps++;
        while ((s32)(rtos_ticks() - (due + 5)) >= 0) {
            due += 5;
            f->missed++;
        }
    }
}

static void sensor(void *unused)
{
    (void)unused;
    for (u32 due = rtos_ticks() + 10, n = 0;; due += 10) {
        task_sleep_until(due);
        queue_send(&channel, n++, FOREVER);
    }
}

static void logger(void *unused)
{
    u32 sample, expected = 0;
    (void)unused;
    for (;;)
        if (queue_receive(&channel, &sample, 2000)) { /* fails only if the machine stood still that long */
            disorder += sample != expected;
            expected = sample + 1;
            samples++;
        }
}

static void report(void *unused)
{
    u32 seconds = arg_number("seconds", 0), quiet = arg_number("quiet", 0);
    u32 second = 1000000 / (rtos_tick_length() * 3 / 1000);
    (void)unused;
    for (u32 s = 1;; s++) {
        task_sleep_until(s * second);
        u32 before = cpu_lock();
        struct figures f = control_late;
        control_late = (struct figures){ .min = ~0u };
        u32 hole = hole_max, n_holes = holes, late = 0, late_max = 0;
        hole_max = holes = 0;
        cpu_unlock(before);
        bool last = s == seconds;
        if (!quiet || last) {
            print("rtos: t=%u s steps=%u samples=%u disorder=%u late min=%u avg=%u max=%u us missed=%u windows "
                  "elsewhere=%u longest=%u us",
                  s, steps, samples, disorder, to_us(f.min), f.n ? to_us(f.sum / f.n * 16) : 0, to_us(f.max), f.missed,
                  n_holes, to_us(hole));
            if (cpu_window(&late, &late_max))
                print(" window late=%u max=%u ticks", late, late_max);
            print("\n");
        }
        if (last) {
            print("rtos: done speed=%d\n", speed);
            power_off();
        }
    }
}

static void background(void *unused)
{
    u32 last = ticks();
    (void)unused;
    for (;;) {
        u32 t = ticks();
        if (t - last > 33333) { /* 100 us, longer than any interrupt handler of this guest */
            holes++;
            hole_max = t - last > hole_max ? t - last : hole_max;
        }
        last = t;
    }
}

void guest_main(void)
{
    print("rtos: %s, tick %u us\n", cpu_kind, arg_number("tick_us", 1000));
    rtos_init(arg_number("tick_us", 1000));
    queue_init(&channel, channel_words, ARRAY_SIZE(channel_words));
    control_late.min = ~0u;
    task_create("control", 0, control, NULL);
    task_create("sensor", 1, sensor, NULL);
    task_create("logger", 2, logger, NULL);
    task_create("report", 3, report, NULL);
    task_create("background", 7, background, NULL);
    rtos_start();
}
