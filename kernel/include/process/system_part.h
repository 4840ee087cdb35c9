/* SPDX-License-Identifier: MIT */
/* process/system_part.h - the part of a process's record in a system image (core/system_table.h), and of a native
 * program's.
 */
#ifndef AMALGAM_PROCESS_SYSTEM_PART_H
#define AMALGAM_PROCESS_SYSTEM_PART_H

#include <core/system_table.h>

#define SYS_MAX_DRIVEN 4 /* the board's devices that a process drives */
#define SYS_MAX_PORTS  4 /* its ports of the guests' switches (option NET_PORT) */
#define SYS_STACK_UNIT (16u << 10)
#define SYS_STACK_MOST (2u << 20)

/* A process's domain flags, of SYS_OF_KIND (option STATUS). */
enum sys_process_flags {
    SYS_STATUS = 1u << 3,         /* may read how all domains do */
    SYS_STATUS_CONTROL = 1u << 4, /* with SYS_STATUS: may set their priorities, too */
};

/* What is said of a process's port; 0: it has none there. */
enum sys_port {
    SYS_PORT_SWITCH = 15u << 0, /* which one */
    SYS_PORT = 1u << 4,
    SYS_PORT_UPLINK = 1u << 5, /* it is the switch's way outside */
};

/* A process's part, and a native program's (without environment, one thread). `ues`, on an SCC, whose kernels all have
 * this table: bit n: it runs on core n; else 0. */
struct sys_process {
    u16 program, strings; /* payload indices; SYS_NONE: no strings */
    u16 argc, envc;       /* number of strings, each with its NUL: arguments, then the environment */
    u8 threads;           /* at most */
    u8 stack;             /* in units of SYS_STACK_UNIT: the first thread's; a native program's on each core */
    u16 files;            /* payload index of an archive; SYS_NONE: none */
    u32 ues[2];
    u16 shared_page, shared_pages; /* there: its part of what cores share of its kind; no pages: it has none */
    u16 spawner; /* 1 + the domain that starts programs in it (option SPAWN); it has no program of its own. 0: it has */
    u16 svm_pages;              /* on an SCC: of shared virtual memory, behind those of the processes before it */
    u32 device[SYS_MAX_DRIVEN]; /* offsets of the devices' names in the string area; 0: none */
    u8 port[SYS_MAX_PORTS];     /* of enum sys_port */
};

/* Return the bytes of the stack, which may be wrong. */
static inline u32 sys_stack(const struct sys_process *p) { return p->stack * SYS_STACK_UNIT; }
static inline bool sys_stack_is_right(const struct sys_process *p)
{
    return p->stack && sys_stack(p) <= SYS_STACK_MOST;
}
/* On an SCC: the cores that the process or native program runs on, a bit each; whether it runs on that one, which
 * exists. */
static inline u64 sys_cores(const struct sys_process *p) { return (u64)p->ues[1] << 32 | p->ues[0]; }
static inline bool sys_runs_on(const struct sys_process *p, unsigned core)
{
    return p->ues[core / 32] >> core % 32 & 1;
}

_Static_assert(sizeof(struct sys_process) == 28 + 4 * SYS_MAX_DRIVEN + SYS_MAX_PORTS, "layout");

/* The part of a process's or native program's record. */
static inline const struct sys_process *sys_process(const struct sys_domain *d) { return (const void *)d->part; }

#endif
