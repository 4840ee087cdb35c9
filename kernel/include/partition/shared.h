/* SPDX-License-Identifier: MIT */
/*
 * partition/shared.h - data that all cores of a board of partitions share, in the kernel's shared section, so that a
 * host that maps the board's memory can read it (symbol `shared` of the kernel's ELF file): big-endian words, zero
 * until core 0 has checked the partition table.
 *
 * The record of a core that dies stays as it was. `windows` in its core_times grows on each core that is alive.
 */
#ifndef AMALGAM_PARTITION_SHARED_H
#define AMALGAM_PARTITION_SHARED_H

#include <partition/bakery.h>
#include <partition/table.h>

#define SHARED_MAGIC 0x414d4753u /* "AMGS" */

enum core_boot { CORE_AWAY, CORE_HERE, CORE_IN_TIME };

struct core_record { /* written by this core only */
    u32 boot;      /* enum core_boot; later, where there is no console, the first number of the kernel's last report */
    u32 lock_lost; /* time at which it gave up the ready structure, with bit 0 set; 0: never */
};

/* With CONFIG_HEALTH (health.c): symbol `core_times`, a record for each core, written by it only. */
struct core_times {
    u32 windows; /* windows begun */
    u32 late;    /* ticks from the due time of the present window to the end of its scheduling decision */
    u32 late_max;
};
extern struct core_times core_times[PT_CORES];

/*
 * The VMs of the pool that wait for a core: a bit for each VM, VM 0 is the most significant. A VM of the pool is in
 * exactly one of these words, or some core runs it.
 */
#define PRIORITIES 8
#define ASLEEP     PRIORITIES
struct ready {
    u32 map[PRIORITIES + 1]; /* READY, by priority; [ASLEEP]: IDLE or STOPPED */
    u32 after;               /* bits of the VMs after the last one taken: among equals one of these is next */
};

struct shared {
    u32 magic;       /* SHARED_MAGIC: the fields below are valid */
    u32 records;     /* address of the first VM's record (struct vm_record) */
    u32 record_size; /* from one to the next */
    u32 part;        /* offset of struct partition in a record */
    u32 state;       /* offset of vm.state (a byte, enum vm_state) in a record */
    u32 over;        /* not 0: the board's run ends */
    u32 plan;        /* the wanted window plan; each core changes to it at the end of its frame */
    u32 clock;       /* core 0's time base, while the others set theirs */
    u32 start;       /* when the first frame begins on all cores; before `magic` is set: a reading of the clock */
    struct core_record cores[PT_CORES];
    struct bakery lock; /* guards `ready` and the VMs in it */
    struct ready ready;
};
extern struct shared shared;

/* Marks variables that all cores share. */
#define __shared __attribute__((section(SHARED_SECTION)))

#endif
