/* SPDX-License-Identifier: MIT */
/*
 * core/system_table.h - the binary form of a system file.
 *
 * `amalgam build SYSTEM` (tools/amalgam/system/) checks a YAML file and writes a *system image*: this table, then the
 * payloads (kernels, initrds, disks), each page aligned. It is little-endian and has no pointers, only offsets from the
 * start of the image. system_table_check() checks magic, version, sizes, the CRC-32 (IEEE, of the table with crc32 0)
 * and each index and range once, and refuses the whole image, with a message, if anything is wrong.
 *
 * tests/unit compares the Python writer with the offsets that are asserted at the end.
 */
#ifndef AMALGAM_CORE_SYSTEM_TABLE_H
#define AMALGAM_CORE_SYSTEM_TABLE_H

#include <types.h>

#define SYS_MAGIC        0x53474d41u /* "AMGS" */
#define SYS_VERSION      6
#define SYS_NAME         16
#define SYS_NONE         0xffffu /* no such payload, string, domain */
#define SYS_HOST         0xfffeu /* as an end of a channel: the Linux above the kernel */
#define SYS_MAX_DOMAINS  16
#define SYS_MAX_CHANNELS 16
#define SYS_MAX_CORES    32 /* of a process: the call thread_cores has a bit for each */
#define SYS_MAX_VCPUS    8  /* of a domain of another kind */
#define SYS_MAX_DEVICES  8  /* per domain */
#define SYS_MAX_MODULES  32
#define SYS_MAX_DRIVEN   4 /* the board's devices that a process drives */

enum sys_kind { SYS_KIND_VM = 1, SYS_KIND_TASK, SYS_KIND_PROCESS, SYS_KIND_NATIVE };

/* How the first vCPU enters its kernel. */
enum sys_boot {
    SYS_BOOT_LINUX64 = 1, /* bzImage, 64-bit boot protocol */
    SYS_BOOT_PVH,         /* ELF with a PVH note */
    SYS_BOOT_MULTIBOOT1,
    SYS_BOOT_MULTIBOOT2,
    SYS_BOOT_RAW, /* copied to `entry`, entered there in 32-bit protected mode, paging off */
};

enum sys_domain_flags {
    SYS_AUTOSTART = 1u << 0,
    SYS_RESTART_ON_RESET = 1u << 1, /* start again after a reset by the guest */
    SYS_RESTART_ON_FAULT = 1u << 2, /* triple fault, watchdog, refused exit */
    SYS_HYPERCALLS = 1u << 3,       /* may use our own VMMCALL interface */
    SYS_KVM_PV = 1u << 4,           /* shows the KVM CPUID leaves */
    SYS_POWER_BOARD = 1u << 5,      /* the board is powered off when all domains with this flag have ended */
    SYS_FOCUS = 1u << 6,            /* gets the console's focus when it starts */
};

enum sys_dev_type {
    SYS_DEV_UART = 1, /* 16550 at the standard COM port `slot` */
    SYS_DEV_CONSOLE,  /* virtio console */
    SYS_DEV_BLOCK,    /* virtio block over payload `payload`, or over a back end in Linux */
    SYS_DEV_NET,      /* virtio net on switch `net` */
    SYS_DEV_RNG,      /* virtio rng */
    SYS_DEV_PC,       /* PIT, RTC, i8259, port 61h, ACPI power registers */
};

enum sys_dev_flags {
    SYS_DEV_READONLY = 1u << 0,
    SYS_DEV_BACKEND = 1u << 1, /* block: its back end is in Linux (core/split.h), under the name `name`; no payload */
};

/* KVM features that SYS_KVM_PV shows, as bits of KVM's CPUID leaf 0x40000001 EAX. A feature that is not shown is
 * refused. */
enum sys_kvm {
    /* KVM_FEATURE_CLOCKSOURCE, CLOCKSOURCE2 and CLOCKSOURCE_STABLE_BIT; also the leaf with frequencies */
    SYS_KVM_CLOCK = 1u << 0 | 1u << 3 | 1u << 24,
    SYS_KVM_STEAL = 1u << 5, /* stolen time, and whether another vCPU was preempted */
    SYS_KVM_EOI = 1u << 6,
    SYS_KVM_FLUSH = 1u << 9, /* PV TLB flush: leave a flush to the vCPU's next entry; Linux wants STEAL with it */
    SYS_KVM_IPI = 1u << 11,
    /* KVM_FEATURE_PV_UNHALT and PV_SCHED_YIELD: wake a halted waiter for a lock, yield to a preempted vCPU */
    SYS_KVM_YIELD = 1u << 7 | 1u << 13,
    SYS_KVM_ALL = SYS_KVM_CLOCK | SYS_KVM_STEAL | SYS_KVM_EOI | SYS_KVM_FLUSH | SYS_KVM_IPI | SYS_KVM_YIELD,
};

struct sys_device {
    u8 type;
    u8 slot; /* virtio-mmio slot: registers and line by vm/places.h */
    u8 flags;
    u8 net;          /* switch number */
    u32 name;        /* offset of the back end's name in the string area */
    union {          /* by type; else 0 */
        u16 payload; /* block */
        u64 sectors; /* block with a back end */
        u8 mac[6];   /* net */
    };
};

/* A VM's part of its record. */
struct sys_vm {
    u64 entry;                /* raw: load and entry address */
    u16 kernel, initrd, acpi; /* payload indices or SYS_NONE; acpi is copied to 0xf0000 */
    u16 watchdog_ms;          /* 0: none. Ends the domain if for this long no vCPU idles or kicks the watchdog */
    u8 boot;                  /* enum sys_boot */
    u8 n_devices;
    u8 n_modules; /* Multiboot only: number of struct sys_module at the start of `initrd` */
    u8 pad;
    u32 kvm; /* SYS_KVM_*; 0 without SYS_KVM_PV */
    struct sys_device device[SYS_MAX_DEVICES];
};

/* A native task's part. */
struct sys_task {
    u64 program; /* index of the built-in task */
};

#define SYS_STACK_UNIT (16u << 10)
#define SYS_STACK_MOST (2u << 20)

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
    u16 watchdog_ms;               /* 0: none. Ends the process if for this long it does not kick the watchdog */
    u16 svm_pages;                 /* on an SCC: of shared virtual memory, behind those of the processes before it */
    u32 device[SYS_MAX_DRIVEN];    /* offsets of the devices' names in the string area; 0: none */
};

/* Return the bytes of the stack, which may be wrong. */
static inline u32 sys_stack(const struct sys_process *p) { return p->stack * SYS_STACK_UNIT; }
static inline bool sys_stack_is_right(const struct sys_process *p)
{
    return p->stack && sys_stack(p) <= SYS_STACK_MOST;
}
/* On an SCC: whether the process or native program runs on that core, which exists. */
static inline bool sys_runs_on(const struct sys_process *p, unsigned core)
{
    return p->ues[core / 32] >> core % 32 & 1;
}

/* The common part of a domain's record, which core/ reads, then the kind's part (domain_ops.check). */
struct sys_domain {
    char name[SYS_NAME];
    u8 kind;
    u8 n_vcpus; /* or threads, or cores of a process */
    u8 prio;
    u8 pad;
    u32 flags;
    u64 memory;  /* bytes; the kind says the unit; 0: no memory of its own */
    u32 cmdline; /* offset of a NUL-terminated string in the string area; SYS_NONE: empty */
    u32 reserved;
    u8 core[SYS_MAX_CORES]; /* core of each vCPU */
    union {
        struct sys_vm vm;
        struct sys_task task;
        struct sys_process process;
    };
};

/* A module: its start, its end and its NUL-terminated command line, as offsets from the start of the payload. With
 * the payload's address added this is the Multiboot specification's own record (0.6.96, 3.3). A module starts on a
 * page. */
struct sys_module {
    u32 start, end, string, reserved;
};

struct sys_window {
    u16 core;
    u16 domain; /* SYS_NONE: the shared group */
    u32 start_us;
    u32 length_us;
};

struct sys_frame {
    u16 core;
    u16 n_windows;
    u16 first_window; /* index; windows of a frame are consecutive, sorted, disjoint */
    u16 reserved;
    u32 length_us;
};

enum sys_channel_flags { SYS_CHANNEL_A_WRITES = 1u << 0, SYS_CHANNEL_B_WRITES = 1u << 1 };

/* A tunnel: `size` bytes shared by two domains, VMs or processes, or one and SYS_HOST (domain_b). A VM has it at
 * 0xe0000000 + index * 1 MiB (gpa), its doorbell is GSI 24 + index; a process at PROCESS_TUNNELS + index * 1 MiB. */
struct sys_channel {
    char name[SYS_NAME];
    u16 domain_a, domain_b;
    u32 flags;
    u32 size; /* multiple of 4 KiB, at most 1 MiB */
    u32 reserved;
};

struct sys_payload {
    u64 offset; /* page aligned, from the start of the image */
    u64 size;
};

enum sys_array { SYS_DOMAINS, SYS_FRAMES, SYS_WINDOWS, SYS_CHANNELS, SYS_PAYLOADS, SYS_ARRAYS };

struct sys_header {
    u32 magic;
    u16 version;
    u16 header_size;
    u64 image_size; /* everything, payloads included */
    u32 table_size; /* header, arrays and strings: what the CRC covers */
    u32 crc32;
    char name[32];
    union { /* the arrays: how many entries, and where */
        u16 n[SYS_ARRAYS];
        struct {
            u16 n_domains, n_frames, n_windows, n_channels, n_payloads;
        };
    };
    u16 n_cores;
    union {
        u32 off[SYS_ARRAYS + 1];
        struct {
            u32 off_domains, off_frames, off_windows, off_channels, off_payloads, off_strings;
        };
    };
    u32 strings_size;
};

_Static_assert(sizeof(struct sys_device) == 16, "layout");
_Static_assert(sizeof(struct sys_process) == 28 + 4 * SYS_MAX_DRIVEN, "layout");
_Static_assert(sizeof(struct sys_vm) == 24 + 16 * SYS_MAX_DEVICES && offsetof(struct sys_vm, kvm) == 20, "layout");
_Static_assert(offsetof(struct sys_domain, vm) == 72, "layout");
_Static_assert(sizeof(struct sys_domain) == 96 + 16 * SYS_MAX_DEVICES, "layout");
_Static_assert(sizeof(struct sys_module) == 16, "layout");
_Static_assert(sizeof(struct sys_window) == 12, "layout");
_Static_assert(sizeof(struct sys_frame) == 12, "layout");
_Static_assert(sizeof(struct sys_channel) == 32, "layout");
_Static_assert(sizeof(struct sys_payload) == 16, "layout");
_Static_assert(sizeof(struct sys_header) == 96, "layout");

/*
 * Check the image of `size` bytes at `image` completely. Returns 0, -EBADMSG (magic, version, size, CRC) or -EINVAL
 * (contents). *why (`why` may be NULL) becomes a constant sentence. Pure: it allocates nothing and reads no globals but
 * domain_kinds.
 */
int system_table_check(const void *image, u64 size, const char **why);

/* For the checks of kinds: returns whether the string exists and is a valid name, by the rules for domains' names. */
bool sys_name_ok(const struct sys_header *h, u32 string);

/* The checked table of the present system; NULL: there is none. */
extern const struct sys_header *system_table;
/* Return entry i of an array; below, the same with the array's type. */
const void *sys_entry(const struct sys_header *h, enum sys_array array, unsigned i);
const struct sys_domain *sys_domain(const struct sys_header *h, unsigned i);
const struct sys_frame *sys_frame(const struct sys_header *h, unsigned i);
const struct sys_window *sys_window(const struct sys_header *h, unsigned i);
const struct sys_channel *sys_channel(const struct sys_header *h, unsigned i);
/* Return payload i and its size; NULL if i is SYS_NONE. */
const void *sys_payload(const struct sys_header *h, unsigned i, u64 *size);
const char *sys_string(const struct sys_header *h, u32 off);

/* Returns whether `size` bytes are exactly `n` strings, each with its NUL. */
static inline bool sys_strings_ok(const char *text, u64 size, u32 n)
{
    u32 ends = 0;
    for (u64 i = 0; i < size; i++)
        ends += !text[i];
    return ends == n && (!size || !text[size - 1]);
}

#endif
