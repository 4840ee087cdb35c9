/* SPDX-License-Identifier: MIT */
/*
 * partition/table.h - the binary form of a system for shapes that host partitions only.
 *
 * The host's compiler (tools/amalgam/system/) has checked the YAML file completely and placed each VM, tunnel and
 * image. It writes this table in the target's byte order, followed by the images, to PT_ADDRESS of the shared memory
 * before the first core starts. On a real board the boot loader does. The kernel checks magic, version, sizes, CRC-32
 * (IEEE, of the first table_size bytes with crc32 zero) and the limits that its arrays need, and refuses the whole
 * table otherwise.
 *
 * Addresses are host-physical unless named gpa. Offsets count from the start of the table.
 */
#ifndef AMALGAM_PARTITION_TABLE_H
#define AMALGAM_PARTITION_TABLE_H

#include <types.h>

#define PT_ADDRESS   0x00100000u /* of the table; the kernel's shared data is below, VMs are from PT_VM_MEMORY on */
#define PT_VM_MEMORY 0x01000000u
#define PT_MAGIC     0x414d4750u /* "AMGP" */
#define PT_VERSION   1
#define PT_CORES     8
#define PT_VMS       16
#define PT_TUNNELS   16
#define PT_PLANS     4
#define PT_NAME      12
/* Guest-physical addresses of tunnel 0 and of its bell, a page whose stores ring the peer; further ones follow in
 * steps. */
#define PT_TUNNEL_GPA   0xe0000000u
#define PT_TUNNEL_STEP  0x100000u
#define PT_BELL_GPA     0xe4000000u
#define PT_BELL_STEP    0x1000u
#define PT_TUNNEL_INPUT 31 /* input of a guest's interrupt controller; further ones count down */
/*
 * The most cycles with interrupts off: of the alarm, of any other vector, and of any other one where cores ring each
 * other (CONFIG_DOORBELL); on up to PT_CORES_FEW cores, and on all (_8). They are bounds of the dearer model, `amalgam
 * wcet --model 405`; a test compares them for each configuration. A cycle is a tick. A window begins later than its
 * edge by the alarm's and another vector's at most, and the shortest window leaves its VM as much again.
 */
#define PT_CORES_FEW         4
#define PT_ALARM_MOST        9200u
#define PT_ALARM_MOST_8      16200u
#define PT_VECTOR_MOST       12500u
#define PT_BELL_MOST         16100u
#define PT_BELL_MOST_8       23100u
#define PT_WINDOW_MIN        (2 * (PT_ALARM_MOST + PT_VECTOR_MOST))   /* ticks, 130 us */
#define PT_WINDOW_MIN_8      (2 * (PT_ALARM_MOST_8 + PT_VECTOR_MOST)) /* 172 us */
#define PT_WINDOW_MIN_BELL   (2 * (PT_ALARM_MOST + PT_BELL_MOST))     /* 152 us */
#define PT_WINDOW_MIN_BELL_8 (2 * (PT_ALARM_MOST_8 + PT_BELL_MOST_8)) /* 236 us */
/*
 * The longest window, and the longest frame: 3.2 s. Who sleeps is looked at once a frame at least, and within two
 * frames when the plan changes. Times are compared by their difference in 32 bits, which is within 6.4 s.
 */
#define PT_WINDOW_MAX 0x3fffffffu
#define PT_ANY        0xff /* window: any ready VM of the pool; table fields: none */

enum pt_vm_flags {
    PT_AUTOSTART = 1u << 0,
    PT_HYPERCALLS = 1u << 1, /* `sc` in its privileged mode is a hypercall; otherwise a system call of its own */
    PT_IRFM = 1u << 2,       /* sees its register page */
    PT_TLB = 1u << 3, /* uses translation; the kernel does not look at it, so the compiler refuses a VM without it */
    PT_POWER_BOARD = 1u << 4,    /* the board's run ends when all VMs with this flag have stopped */
    PT_FOCUS = 1u << 5,          /* has the console at start */
    PT_HEALTH_MONITOR = 1u << 6, /* may read the event log and change plans by hypercall */
    /* in the pool: it runs in PT_ANY windows only, on any core of `cores`. Without this flag it runs only in windows of
       its own, and `cores` is the one bit of that core */
    PT_BACKGROUND = 1u << 7,
};

enum pt_action { PT_STOP, PT_RESTART, PT_IGNORE, PT_PLAN }; /* the action after an event of a VM; PLAN also stops it */

/* Events of a VM; index of pt_vm.action. IGNORE: give the guest the exception, or let it go on. */
enum pt_event {
    /* it did something that cannot be virtualized: memory that is not there, a refused register, a loop of faults */
    PT_ON_FAULT,
    PT_ON_RESET,   /* it wrote a reset into DBCR0, or its watchdog expired */
    PT_ON_OVERRUN, /* its window ended before it yielded, as it had promised (sched_set_param) */
    PT_EVENTS
};

struct pt_vm {
    char name[PT_NAME];
    u32 base, size; /* memory: gpa 0 is `base`; aligned to the largest page that fits into size */
    u32 entry;      /* gpa */
    u32 gpr[5];     /* r3..r7 at entry */
    u8 flags;       /* enum pt_vm_flags */
    u8 cores;       /* bit mask of cores that may run it; one bit: bound */
    u8 prio;        /* among ready VMs in PT_ANY windows, 0 (most urgent) .. 7 */
    u8 plan;        /* for PT_PLAN */
    u8 action[PT_EVENTS];
    u8 restarts; /* at most this many restarts, 255: no limit */
    u16 first_segment, n_segments;
    u32 patches, n_patches;   /* offset of struct pt_patch[], applied after loading (pre-virtualization) */
    u32 io_page;              /* a device page that it owns (0: none), seen at the same gpa */
    u16 dcr_first, dcr_count; /* DCRs that it owns */
    u32 irq_mask;             /* inputs of the hardware's UIC that it owns, at the same inputs of its own UIC */
};

/* copied at each start, in words: all three are multiples of 4; the rest of the memory is cleared */
struct pt_segment {
    u32 src; /* offset */
    u32 gpa, filesz;
};

struct pt_patch {
    u32 gpa, word; /* word to store in the image */
};

struct pt_window {
    u8 vm; /* or PT_ANY */
    u8 pad[3];
    u32 ticks; /* length; windows of a frame follow each other without gap */
};

struct pt_frame {                /* frame of one core in one plan; its index is plan * n_cores + core */
    u16 first_window, n_windows; /* at least one */
};

enum pt_tunnel_right {
    PT_TUNNEL_WRITES = 1u << 0,
    PT_TUNNEL_OPEN = 1u << 1, /* open from the start of each run: for a guest without hypercalls */
};

struct pt_tunnel {
    char name[PT_NAME];
    u32 base, size; /* host-physical; multiple of 4 KiB */
    u8 ends[2];     /* VMs */
    u8 may[2];      /* enum pt_tunnel_right, for each end */
};

struct pt_header {
    u32 magic;
    u16 version, header_size;
    u32 table_size, image_size, crc32;
    u8 n_vms, n_cores, n_plans, n_tunnels;
    u16 n_windows, n_segments;
    u32 off_vms, off_frames, off_windows, off_segments, off_tunnels;
    u32 ticks_per_us_q16; /* time base ticks a microsecond, 16.16 */
    u32 flags;            /* bit 0: tagged console (for programs), else focus only (for people) */
    char name[16];
};

_Static_assert(sizeof(struct pt_vm) == 76, "layout");
_Static_assert(sizeof(struct pt_segment) == 12, "layout");
_Static_assert(sizeof(struct pt_window) == 8, "layout");
_Static_assert(sizeof(struct pt_tunnel) == 24, "layout");
_Static_assert(sizeof(struct pt_header) == 72, "layout");

#endif
