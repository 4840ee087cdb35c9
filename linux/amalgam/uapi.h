/* SPDX-License-Identifier: MIT */
/*
 * uapi.h - the calls (ioctl) of /dev/amalgam. Each returns 0, or -1 and errno; AMALGAM_WHY then returns the reason as
 * text. read, write and poll carry the tagged channel (docs/attach.md). A write waits for room; it fails with ENXIO
 * while the kernel is not attached, and once it has panicked. Of two long writes pieces of 256 bytes may alternate.
 */
#ifndef AMALGAM_UAPI_H
#define AMALGAM_UAPI_H

#include <linux/ioctl.h>
#include <linux/types.h>

struct amalgam_load {
    __u64 image; /* build/attach/amalgam.bin, in the caller's memory */
    __u64 size;
    __u64 heap; /* bytes of memory the kernel gets for itself; 0: what it needs */
};

/* The time that an attach or detach took as a whole, and the longest time that one CPU stood still for it. */
struct amalgam_switched {
    __u64 total_ns, stop_ns;
    __u32 cpus, reserved;
};

enum amalgam_state { AMALGAM_EMPTY, AMALGAM_LOADED, AMALGAM_ATTACHED };

struct amalgam_status {
    __u32 state;                /* enum amalgam_state */
    __u32 abi;                  /* of the loaded kernel */
    __u32 cpus_attached, cores; /* CPUs that run Linux as a guest; CPUs that are given */
    __u64 region;               /* bytes that load allocated for the kernel: image and heap */
    __u64 given;                /* bytes that were given since */
    __u64 free;                 /* bytes of both that the kernel has not used */
    __u64 exits, refused_writes, refused_at, refused_rip, stray;
    __u64 attaches, detaches;
    __u32 dead, reserved; /* the kernel has panicked */
};

struct amalgam_range {
    __u64 base, size; /* physical, 2 MiB aligned */
};

/* Writes into memory that is offline and not yet given, at most 4 MiB. */
struct amalgam_write {
    __u64 base, size; /* physical */
    __u64 from;       /* address of the bytes in the caller's memory */
};

struct amalgam_cpu {
    __u32 cpu, state; /* in: Linux's number; out: enum attach_cpu_state */
};

enum amalgam_held_kind {
    AMALGAM_HELD_CPU,     /* given */
    AMALGAM_HELD_MEMORY,  /* given */
    AMALGAM_HELD_OFFLINE, /* a claimed block that is offline and not given: the command that set it offline was ended */
};

/* Lists all that Linux lacks because of the command and the module: call with index 0, 1, ... until ENOENT. */
struct amalgam_held {
    __u32 index, kind; /* in: index; out: enum amalgam_held_kind */
    __u64 base, size;  /* out, of memory: physical */
    __u32 cpu, state;  /* out, of a CPU: Linux's number; enum attach_cpu_state */
};

struct amalgam_why {
    char text[160];
};

#define AMALGAM_LOAD      _IOW('@', 0x40, struct amalgam_load)
#define AMALGAM_UNLOAD    _IO('@', 0x41)
#define AMALGAM_ATTACH    _IOR('@', 0x42, struct amalgam_switched)
#define AMALGAM_DETACH    _IOR('@', 0x43, struct amalgam_switched)
#define AMALGAM_STATUS    _IOR('@', 0x44, struct amalgam_status)
#define AMALGAM_CPU_GIVE  _IOWR('@', 0x45, struct amalgam_cpu)
#define AMALGAM_CPU_TAKE  _IOWR('@', 0x46, struct amalgam_cpu)
#define AMALGAM_CPU_STATE _IOWR('@', 0x47, struct amalgam_cpu)
#define AMALGAM_MEM_GIVE  _IOW('@', 0x48, struct amalgam_range)
#define AMALGAM_MEM_TAKE  _IOW('@', 0x49, struct amalgam_range)
#define AMALGAM_WHY       _IOR('@', 0x4a, struct amalgam_why)
#define AMALGAM_MEM_WRITE _IOW('@', 0x4b, struct amalgam_write)
/* Call it before the process sets this memory block offline: the module then keeps it on record until it is online. */
#define AMALGAM_MEM_CLAIM _IOW('@', 0x4c, struct amalgam_range)
#define AMALGAM_HELD      _IOWR('@', 0x4d, struct amalgam_held)

#endif
