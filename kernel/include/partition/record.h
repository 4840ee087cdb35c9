/* SPDX-License-Identifier: MIT */
/*
 * partition/record.h - what the partition core keeps in each VM's record (struct vm.part), readable by a host that
 * has the board's memory: struct shared (partition/shared.h) says where the records are.
 *
 * Every word has one writer at a time: `order` a monitor until the owner takes it, all else the VM's owner; but
 * `knock`, which anybody sets and the owner clears before it looks. The owner is the core that runs it; of a bound VM
 * always its core; of a VM that waits in the pool (READY, IDLE, STOPPED) whoever holds the lock of the ready structure.
 */
#ifndef AMALGAM_PARTITION_RECORD_H
#define AMALGAM_PARTITION_RECORD_H

#include <partition/table.h>

/* After enum pt_event: what else is logged. */
#define EVENT_START     3 /* value: which life */
#define EVENT_ORDER     4 /* a monitor stopped it */
#define EVENT_LOCK_LOST 5 /* core_record.lock_lost: no VM's event */

struct partition_event {
    u32 when;               /* time base of the board, low word */
    u8 event, action, core; /* enum pt_event or EVENT_*; enum pt_action */
    u8 run;                 /* in which life of the VM, modulo 256 */
    u32 code, value;        /* fault: where and what; reset: pc, DBCR0; overrun: window's end */
};

#define VM_EVENTS 8 /* kept for each VM, so that a noisy one cannot push out what happened to others */

enum partition_order { ORDER_NONE, ORDER_STOP, ORDER_START, ORDER_RESET /* of its own watchdog */ };

/* Progress of loading; each step is bounded (partition/load.c). */
enum load_phase { LOAD_ZERO, LOAD_COPY, LOAD_PATCH, LOAD_CLEAR, LOAD_RESET, LOAD_OPEN, LOAD_DONE };

struct partition {
    u32 n_events; /* since the board started; event n is at [n % VM_EVENTS] */
    struct partition_event events[VM_EVENTS];
    u32 knock;    /* not 0: the owner is to look */
    u32 order;    /* enum partition_order */
    u32 wake_due; /* while IDLE: when its own timers want it, or are to be looked at again */
    u32 load_at;  /* gpa (ZERO), offset in the segment (COPY), index (PATCH, CLEAR) */
    u32 reported; /* CONFIG_HEALTH: in which window an event was told last, counted from 1 */
    u32 tunnels;  /* bit n: it has tunnel n in this life */
    u16 load_segment;
    u8 load;          /* enum load_phase */
    u8 prio;          /* 0 most urgent; sched_set_param */
    bool promised;    /* sched_set_param: it yields in each window of its own */
    u8 restarts_left; /* 255: no limit */
};

_Static_assert(sizeof(struct partition_event) == 16, "layout");

#endif
