/* SPDX-License-Identifier: MIT */
/*
 * status.h - how the board's domains do, for processes that may know it (option STATUS).
 *
 * The system file says of a process `status: read`, or `status: control`. In each of its runs it has then a handle to
 * one object, the board, with the right to read, or to write, too: to set domains' priorities while they run. By it the
 * process may let others do the same: the handle may be sent, with the same rights or fewer (handle/handle.h).
 *
 * A call copies one record out: of the board, a domain, a core, a window or a channel. Nobody is stopped for it, so a
 * record is of a moment, and two of its fields may be of two moments. What is written at the control console alone
 * (reasons of ends, programs' arguments) is not told. The records are a promise to programs
 * (user/include/amalgam/status.h has them, too).
 */
#ifndef AMALGAM_STATUS_STATUS_H
#define AMALGAM_STATUS_STATUS_H

#include <core/system_table.h>
#include <handle/handle.h>

struct status_board {
    u32 domains, cores, windows, channels; /* how many there are: the numbers of the other records are below */
    u64 up;                                /* nanoseconds since the clock's begin */
};

struct status_domain {
    char name[SYS_NAME];
    u8 kind;         /* enum sys_kind */
    u8 state;        /* enum domain_state */
    u8 end;          /* enum domain_end: how its last life has ended */
    u8 priority;     /* that its threads have, the highest of them; without threads, that they will have */
    u32 starts;      /* the number of its present or last life; comes round (life.h) */
    u32 restarts;    /* of these, how many its restart policy has made */
    u32 threads;     /* present */
    u64 memory, run; /* bytes; nanoseconds that the threads of that life have had a core */
    u64 switches;    /* how often they got one */
};

struct status_core {
    u32 online, segments; /* windows of its frame, and the gaps between them; 0: it has no frame */
    u64 frame, edges;     /* nanoseconds; windows that have begun so far */
    /* nanoseconds: the latest of them, since it was last asked for at the control console; without work */
    u64 late, idle;
};

struct status_window {
    u32 core, domain;  /* domain SYS_NONE: of all that have no window there */
    u32 start, length; /* microseconds, in the core's frame */
};

struct status_channel {
    char name[SYS_NAME];
    u32 a, b, size, granted; /* its ends' domains; bytes of its memory */
    u32 rings[2];            /* that its ends, a and b, have sent; they come round. Counted since the boot */
};

_Static_assert(sizeof(struct status_board) == 24 && sizeof(struct status_domain) == 56, "layout");
_Static_assert(sizeof(struct status_core) == 40 && sizeof(struct status_window) == 16, "layout");
_Static_assert(sizeof(struct status_channel) == 40, "layout");

/* Count the rings of processes from now on (rings.c). Boot; more than once is once. */
void status_count_rings(void);
/* Returns how often the end `side` (0: domain_a) of a channel has rung. */
u32 status_rings(unsigned channel, unsigned side);
/* Set the priority of the domain's threads in its present life; the next one begins with the system file's. Returns 0;
 * -ENOENT: it does not run; -ERANGE: no domain's threads may have that one. Thread context. */
int status_set_priority(struct domain *d, unsigned priority);

#endif
