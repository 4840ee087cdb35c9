/* SPDX-License-Identifier: MIT */
/*
 * table.h - the table of a manycore board for its firmware: clusters, harts, memory, and what is copied where at a
 * cluster's start. tools/amalgam/system/clusters/table.py writes it behind the firmware into one file, and reads the
 * layout from here (layout.py). The table is trusted, because it comes with the firmware.
 *
 * On the board manycore-fleet each cluster is a machine of its own. Its table has the harts of that cluster only,
 * `device` says where the shared memory is (ivshmem.c), and only its own struct fw_cluster is filled in.
 *
 * Little-endian words of 32 bits on both boards: all memory lies below 4 GiB. Pointers are physical addresses.
 */
#ifndef FIRMWARE_TABLE_H
#define FIRMWARE_TABLE_H

#define FW_BASE     0x80000000 /* the firmware itself */
#define FW_AREAS    0x80100000 /* a stack for each hart */
#define FW_TABLE    0x80200000 /* struct fw_table; images and device trees follow */
#define FW_MAGIC    0x434d4d41 /* "AMMC" */
#define FW_VERSION  3
#define FW_HARTS    512 /* QEMU's limit of the machine `virt` */
#define FW_CLUSTERS 128
#define FW_AREA     2048       /* bytes of an outbox for each cluster, from its begin on */
#define FW_DEVICES  8          /* a bit each in a word */
#define FW_RING     4096       /* bytes of a device's queue */
#define FW_RINGS    0x2000     /* bytes of all queues of a device */
#define FW_FRESH    0x5a45524f /* in a3 at a kernel's entry: the slice is zero but for what was copied into it */

#ifndef __ASSEMBLER__
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned long ulong; /* a register */

enum { FW_COMPUTE = 0, FW_IO = 1 }; /* kinds of clusters; an I/O cluster may power the board off */

struct fw_table {
    u32 magic, version;
    u32 n_harts, n_clusters;
    u32 noc, noc_size;      /* the NoC slice: a power of two, aligned to itself, as are slices and outboxes */
    u32 clusters;           /* struct fw_cluster[n_clusters] */
    u32 hart_cluster;       /* u16[n_harts]: the cluster of each hart */
    u32 device;             /* 0: the NoC slice is RAM. Else the configuration space (ECAM) of the device that has it */
    u32 registers;          /* where that device's registers are put, 4 KiB each for registers and interrupt table */
    u32 devices, n_devices; /* struct fw_device[n_devices], of which there are FW_DEVICES at most */
};

/* A virtio device by registers in memory, which the firmware drives for one cluster's kernel (device.c). */
struct fw_device {
    u32 registers;
    u32 irq;     /* its input of the PLIC, below 32 */
    u32 cluster; /* the one whose memory it may be told of */
    u32 rings;   /* FW_RINGS bytes, which no cluster reaches */
};

struct fw_cluster {
    u32 master, n_harts; /* the master copies, and enters the kernel; masters are a board's first harts */
    u32 first_slave;     /* the other n_harts - 1 follow each other from here on */
    u32 kind;
    u32 slice, slice_size;
    u32 outbox, outbox_size;
    u32 entry, tree;      /* in the slice: where the kernel is entered, and its device tree */
    u32 copies, n_copies; /* struct fw_copy[]: made at each start */
    u32 kills, n_kills;   /* u64[], ascending, values of mtime: the cluster's harts are stopped and it starts again */
    u32 lives;            /* how often the cluster was started before, on a board that this one replaces */
    u32 pad;
};

struct fw_copy {
    u32 from, to, size; /* multiples of FW_COPY_UNIT */
    u32 zeros;          /* so many bytes behind `to + size` are zero: cleared, but for a board's first start */
};
#define FW_COPY_UNIT 128

_Static_assert(sizeof(struct fw_table) == 48 && sizeof(struct fw_cluster) == 64 && sizeof(struct fw_copy) == 16 &&
                   sizeof(struct fw_device) == 16,
               "the tool writes these sizes");
#endif
#endif
