/* SPDX-License-Identifier: MIT */
/*
 * partition/record.h - the scheduler's part of each VM's record (struct vm.part), readable by a host that maps the
 * board's memory; struct shared (partition/shared.h) says where the records are.
 *
 * Each word has one writer at a time. Only monitors write `order`. Any core sets `knock`, and the owner clears it
 * before it looks. All else is written by the owner: the core that runs the VM; for a bound VM always its core; for a
 * VM that waits in the pool (READY, IDLE, STOPPED) the core that holds the lock of the ready structure.
 *
 * A monitor's order is a number that differs from the last one: the owner takes it by writing it to `taken`. So no
 * order is lost that comes while another one is taken, and the VM's own watchdog, which has a bit of `taken`,
 * overwrites none.
 */
#ifndef AMALGAM_PARTITION_RECORD_H
#define AMALGAM_PARTITION_RECORD_H

#include <partition/table.h>

/* Events in the log besides enum pt_event. */
#define EVENT_START     3 /* value: number of the run */
#define EVENT_ORDER     4 /* a monitor stopped it */
#define EVENT_LOCK_LOST 5 /* core_record.lock_lost; not an event of a VM */

struct partition_event {
    u32 when;               /* time base of the board, low word */
    u8 event, action, core; /* enum pt_event or EVENT_*; enum pt_action */
    u8 run;                 /* number of the VM's run, modulo 256 */
    u32 code, value;        /* fault: where and what; reset: pc, DBCR0; overrun: end of the window */
};

#define VM_EVENTS 8 /* kept for each VM, so that a noisy one cannot push out events of others */

/* Return the count after `n`. After 32 bits it goes on at 2^31: its lower 31 bits, which monitors see, go on, and it
 * never looks like the count of a VM that has just begun. */
static inline u32 count_on(u32 n) { return n + 1 ? n + 1 : 1u << 31; }

/* Bits of an order; the bits above count the orders. */
#define ORDER_START 1u /* start the VM; 0: stop it */
#define ORDER_RESET 2u /* only in `taken`: the VM's own watchdog resets it */
#define ORDER_COUNT 4u

/* Progress of loading; each step is bounded (partition/load.c). */
enum load_phase { LOAD_ZERO, LOAD_COPY, LOAD_PATCH, LOAD_CLEAR, LOAD_RESET, LOAD_OPEN, LOAD_DONE };

struct partition {
    u32 n_events; /* since the board started (count_on); event n is at [n % VM_EVENTS] */
    struct partition_event events[VM_EVENTS];
    u32 knock;    /* not 0: the owner is to look for requests */
    u32 order;    /* a monitor's last order: ORDER_* */
    u32 taken;    /* the last order that was taken; the VM has something to follow while they differ */
    u32 wake_due; /* while IDLE: when its timers expire, or are to be asked again */
    u32 load_at;  /* gpa (ZERO), offset in the segment (COPY), index (PATCH, CLEAR) */
    u32 reported; /* CONFIG_HEALTH: the window in which an event was last reported, counted from 1 */
    u32 tunnels;  /* bit n: it has opened tunnel n in this run */
    u16 load_segment;
    u8 load;          /* enum load_phase */
    u8 prio;          /* 0 most urgent; sched_set_param */
    bool promised;    /* sched_set_param: it promises to yield in each window of its own */
    u8 restarts_left; /* 255: no limit */
};

_Static_assert(sizeof(struct partition_event) == 16, "layout");

#endif
