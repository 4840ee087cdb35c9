/* SPDX-License-Identifier: MIT */
/* vm/system_part.h - a VM's part of its record in a system image (core/system_table.h): devices, boot protocols, what
 * of KVM it is shown. */
#ifndef AMALGAM_VM_SYSTEM_PART_H
#define AMALGAM_VM_SYSTEM_PART_H

#include <core/system_table.h>

#define SYS_MAX_DEVICES 8 /* per domain */
#define SYS_MAX_MODULES 32

/* A VM's domain flags, of SYS_OF_KIND. */
enum sys_vm_flags {
    SYS_HYPERCALLS = 1u << 3, /* may use our own VMMCALL interface */
    SYS_KVM_PV = 1u << 4,     /* shows the KVM CPUID leaves */
};

/* How the first vCPU enters its kernel. */
enum sys_boot {
    SYS_BOOT_LINUX64 = 1, /* bzImage, 64-bit boot protocol */
    SYS_BOOT_PVH,         /* ELF with a PVH note */
    SYS_BOOT_MULTIBOOT1,
    SYS_BOOT_MULTIBOOT2,
    SYS_BOOT_RAW,     /* copied to `entry`, entered there in 32-bit protected mode, paging off */
    SYS_BOOT_LINUX32, /* ELF, 32-bit boot protocol: guests in ring 1 only */
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
    union {
        u64 entry; /* raw: load and entry address */
        u64 ues;   /* linux32 on an SCC, whose kernels all have this table: bit n: a guest runs on core n; else 0 */
    };
    u16 kernel, initrd, acpi; /* payload indices or SYS_NONE; acpi is copied to 0xf0000 */
    u16 strong; /* pages of memory that the cores of `ues` share: one guest with a vCPU on each; 0: a guest on each */
    u8 boot;    /* enum sys_boot */
    u8 n_devices;
    u8 n_modules; /* Multiboot only: number of struct sys_module at the start of `initrd` */
    u8 joins;     /* linux32 on an SCC: 1 + the process that the guest runs in place of on its cores; 0: none */
    u32 kvm;      /* SYS_KVM_*; 0 without SYS_KVM_PV */
    struct sys_device device[SYS_MAX_DEVICES];
};

/* A module: its start, its end and its NUL-terminated command line, as offsets from the start of the payload. With
 * the payload's address added this is the Multiboot specification's own record (0.6.96, 3.3). A module starts on a
 * page. */
struct sys_module {
    u32 start, end, string, reserved;
};

_Static_assert(sizeof(struct sys_device) == 16, "layout");
_Static_assert(sizeof(struct sys_vm) == 24 + 16 * SYS_MAX_DEVICES && offsetof(struct sys_vm, kvm) == 20, "layout");
_Static_assert(sizeof(struct sys_vm) <= SYS_PART, "it is a part");
_Static_assert(sizeof(struct sys_module) == 16, "layout");

/* The part of a VM's record. */
static inline const struct sys_vm *sys_vm(const struct sys_domain *d) { return (const void *)d->part; }

#endif
