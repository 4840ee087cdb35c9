/* SPDX-License-Identifier: MIT */
/*
 * partition/table.h - the binary form of a system for shapes that host
 * partitions only: what runs where and when, without anything to parse.
 *
 * The host compiler (tools/amalgam/system/) has checked the YAML file completely and
 * placed every VM, tunnel and image; it writes this table in the target's byte order,
 * followed by the images, to PT_ADDRESS of the shared memory before the first core
 * starts.  On a real board its boot loader does.  The kernel checks magic, version,
 * sizes, CRC-32 (IEEE, of the first table_size bytes with crc32 zero) and the limits
 * that its arrays depend on, and refuses the whole table otherwise.
 *
 * Addresses are host-physical unless named gpa; offsets count from the table's start.
 */
#ifndef AMALGAM_PARTITION_TABLE_H
#define AMALGAM_PARTITION_TABLE_H

#include <types.h>

#define PT_ADDRESS   0x00100000u /* of the table; below it the kernel's shared data, VMs from PT_VM_MEMORY on */
#define PT_VM_MEMORY 0x01000000u
#define PT_MAGIC     0x414d4750u /* "AMGP" */
#define PT_VERSION   1
#define PT_CORES     8
#define PT_VMS       16
#define PT_TUNNELS   16
#define PT_PLANS     4
#define PT_NAME      12
/* Where guests see tunnel 0 and, by a store, ring its peer; the others follow in steps. */
#define PT_TUNNEL_GPA   0xe0000000u
#define PT_TUNNEL_STEP  0x100000u
#define PT_BELL_GPA     0xe4000000u
#define PT_BELL_STEP    0x1000u
#define PT_TUNNEL_INPUT 31 /* of a guest's interrupt controller, counting down */
/*
 * Instructions with interrupts off, at most: the alarm, and any other vector (bench/budgets/proteus.yaml; a test holds
 * `amalgam wcet` to it). At one instruction a tick a window begins later than its edge by both at most, and the
 * shortest one leaves its VM as much.
 */
#define PT_ALARM_MOST  6000u
#define PT_VECTOR_MOST 8000u
#define PT_WINDOW_MIN  (2 * (PT_ALARM_MOST + PT_VECTOR_MOST)) /* ticks, 84 us */
#define PT_WINDOW_MAX  0x3fffffffu                            /* times are compared by difference in 32 bits */
#define PT_ANY         0xff /* window: whoever is ready and not bound; table fields: none */

enum pt_vm_flags {
    PT_AUTOSTART = 1u << 0,
    PT_HYPERCALLS = 1u << 1,     /* `sc` in its privileged mode is a hypercall; otherwise its own system call */
    PT_IRFM = 1u << 2,           /* sees its register page */
    PT_TLB = 1u << 3,            /* may use translation; otherwise real mode only */
    PT_POWER_BOARD = 1u << 4,    /* when all such VMs have stopped the board's run ends */
    PT_FOCUS = 1u << 5,          /* has the console at start */
    PT_HEALTH_MONITOR = 1u << 6, /* may read the event log and change plans by hypercall */
    PT_BACKGROUND = 1u << 7, /* in the pool: it runs in PT_ANY windows only, on any core of `cores`; without this flag
                              * it runs in windows of its own only, and `cores` is one bit: that core's */
};

enum pt_action { PT_STOP, PT_RESTART, PT_IGNORE, PT_PLAN }; /* what follows an event of a VM; PLAN also stops it */

/* What can happen to a VM; index of pt_vm.action. IGNORE means: give the guest the exception / let it go on. */
enum pt_event {
    PT_ON_FAULT,   /* it did what cannot be virtualized: unbacked memory, a refused register, a loop of faults */
    PT_ON_RESET,   /* it wrote a reset into DBCR0, or its watchdog expired */
    PT_ON_OVERRUN, /* its window ended though it had promised (sched_set_param) to have yielded */
    PT_EVENTS
};

struct pt_vm {
    char name[PT_NAME];
    u32 base, size; /* memory: gpa 0 is `base`; aligned to the largest page that fits into size */
    u32 entry;      /* gpa */
    u32 gpr[5];     /* r3..r7 at entry */
    u8 flags;       /* enum pt_vm_flags */
    u8 cores;       /* bit mask of cores that may run it; one bit: bound */
    u8 prio;        /* among the ready in PT_ANY windows, 0 (most urgent) .. 7 */
    u8 plan;        /* for PT_PLAN */
    u8 action[PT_EVENTS];
    u8 restarts; /* at most so many restarts, 255: no limit */
    u16 first_segment, n_segments;
    u32 patches, n_patches;   /* offset of struct pt_patch[], applied after loading (pre-virtualization) */
    u32 io_page;              /* a device page that it owns (0: none), seen at the same gpa */
    u16 dcr_first, dcr_count; /* DCRs that it owns */
    u32 irq_mask;             /* hardware UIC inputs that it owns, routed to the same inputs of its own UIC */
};

struct pt_segment { /* copied at every start, in words: all three are multiples of 4; the rest of the memory is zeroed
                     */
    u32 src;        /* offset */
    u32 gpa, filesz;
};

struct pt_patch {
    u32 gpa, word; /* word to store; the image is otherwise what the user gave */
};

struct pt_window {
    u8 vm; /* or PT_ANY */
    u8 pad[3];
    u32 ticks; /* length; windows of a frame follow each other without gap */
};

struct pt_frame {                /* of one core in one plan: index plan * n_cores + core */
    u16 first_window, n_windows; /* at least one */
};

enum pt_tunnel_right {
    PT_TUNNEL_WRITES = 1u << 0,
    PT_TUNNEL_OPEN = 1u << 1, /* sees it from the start of each life: for a guest that makes no hypercalls */
};

struct pt_tunnel {
    char name[PT_NAME];
    u32 base, size; /* host-physical; multiple of 4 KiB */
    u8 ends[2];     /* VMs */
    u8 may[2];      /* enum pt_tunnel_right, of each end */
};

struct pt_header {
    u32 magic;
    u16 version, header_size;
    u32 table_size, image_size, crc32;
    u8 n_vms, n_cores, n_plans, n_tunnels;
    u16 n_windows, n_segments;
    u32 off_vms, off_frames, off_windows, off_segments, off_tunnels;
    u32 ticks_per_us_q16; /* time base ticks a microsecond, 16.16 */
    u32 flags;            /* bit 0: console tagged (programs), else focus only (people) */
    char name[16];
};

_Static_assert(sizeof(struct pt_vm) == 76, "layout");
_Static_assert(sizeof(struct pt_segment) == 12, "layout");
_Static_assert(sizeof(struct pt_window) == 8, "layout");
_Static_assert(sizeof(struct pt_tunnel) == 24, "layout");
_Static_assert(sizeof(struct pt_header) == 72, "layout");

#endif
