/* SPDX-License-Identifier: MIT */
/*
 * partition/shared.h - what all cores of a board of partitions have in common, in the kernel's shared data,
 * so that a host that maps the board's memory can read it (symbol `shared` of the kernel's ELF file):
 * big-endian words as below, zero until core 0 has checked the partition table.
 *
 * A core that dies leaves its record as it was. `windows` of its core_times grows on every core that is alive.
 */
#ifndef AMALGAM_PARTITION_SHARED_H
#define AMALGAM_PARTITION_SHARED_H

#include <partition/bakery.h>
#include <partition/table.h>

#define SHARED_MAGIC 0x414d4753u /* "AMGS" */

enum core_boot { CORE_AWAY, CORE_HERE, CORE_IN_TIME };

struct core_record { /* one writer: this core */
    u32 boot; /* enum core_boot; later, where there is no console: the first number of what the kernel had to say */
    u32 lock_lost; /* when it gave up the ready structure (1 more than that if it was 0), 0: never */
};

/* Kept with CONFIG_HEALTH (health.c): symbol `core_times`, one a core, with the same writer. */
struct core_times {
    u32 windows; /* begun */
    u32 late;    /* ticks from when the present window was due to the end of the decision who runs */
    u32 late_max;
};
extern struct core_times core_times[PT_CORES];

/*
 * Who of the pool waits for a core: a bit for each VM, VM 0 the most significant. A VM of the pool is in exactly
 * one of these words, or some core runs it.
 */
#define PRIORITIES 8
#define ASLEEP     PRIORITIES
struct ready {
    u32 map[PRIORITIES + 1]; /* READY, by priority; [ASLEEP]: IDLE or STOPPED */
    u32 after; /* the bits of the VMs after that which was taken last: the next of equals is one of them */
};

struct shared {
    u32 magic;       /* SHARED_MAGIC: all below is valid */
    u32 records;     /* address of the first VM's record (struct vm_record) */
    u32 record_size; /* from one to the next */
    u32 part;        /* offset of struct partition in a record */
    u32 state;       /* offset of vm.state (a byte, enum vm_state) in a record */
    u32 over;        /* not 0: the board's run ends */
    u32 plan;        /* window plan wanted; each core changes at the end of its frame */
    u32 clock;       /* core 0's time base, while the others set theirs */
    u32 start;       /* when the first frame begins, on all cores; the clock's reading before `magic` is set */
    struct core_record cores[PT_CORES];
    struct bakery lock; /* of ready and what belongs to it */
    struct ready ready;
};
extern struct shared shared;

/* Variables that all cores share. */
#define __shared __attribute__((section(SHARED_SECTION)))

#endif
