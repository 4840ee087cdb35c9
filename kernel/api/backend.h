/* SPDX-License-Identifier: MIT */
/*
 * api/backend.h - split drivers: what the kernel's front ends and their back ends in
 * the first Linux say to each other, in one area of memory that both see.
 *
 * The kernel announces an *entry* for each device or tunnel whose other half is
 * Linux's: what it is, its name, where in the area its memory lies.  Each side sets
 * the entry's bit in the other's word, then rings (the kernel by interrupt, Linux by
 * a call).  The other clears the bit, and no bit of an entry that another program
 * serves, before it looks: a bit that is set is not rung again.  A guest's memory is never in the area: the kernel
 * copies, so a back end that goes wrong can spoil the answers it was asked for and nothing else.
 *
 * A block device has one request at a time: the kernel fills it in and counts `asked`
 * up, the back end serves it and sets `done` to the same number.  A network has a ring
 * of frames each way: the writer moves `head`, the reader `tail`, both count freely.
 * Neither side believes what the other wrote: counters are masked, lengths compared.
 *
 * Entries end with their system, and the next system's entries have their memory.
 * So a program of Linux says that it uses an entry's memory before it does: it writes
 * the generation into the entry's `served`, then compares the generation again.  When
 * that has changed it ends what it does there and clears the word, if it still has its
 * number.  The kernel waits for that with a bound.  Memory that is still used then is
 * given to nobody until the kernel is loaded anew.
 *
 * u8, u16, u32, u64 are the includer's.
 */
#ifndef AMALGAM_API_BACKEND_H
#define AMALGAM_API_BACKEND_H

#define BACKEND_MAGIC   0x4b424d41u /* "AMBK" */
#define BACKEND_VERSION 2
#define BACKEND_ENTRIES 24
#define BACKEND_NAME    16
#define BACKEND_DATA    16384 /* bytes of one block request at most: the kernel copies them with interrupts off */
#define BACKEND_FRAMES  32    /* of a ring; a power of two */
#define BACKEND_FRAME   1522  /* bytes of an Ethernet frame with a VLAN tag, without checksum */

enum backend_type { BACKEND_NONE, BACKEND_BLOCK, BACKEND_NET, BACKEND_TUNNEL };
enum backend_flags { BACKEND_READONLY = 1, BACKEND_LINUX_WRITES = 2 };

struct backend_entry {
    u32 type;  /* enum backend_type */
    u32 flags; /* enum backend_flags */
    char name[BACKEND_NAME];
    u32 offset, size; /* in the area; page aligned */
    u64 sectors;      /* block: of 512 bytes */
    u32 served;       /* Linux: the generation in which a program began to use the memory; 0: none uses it */
    u32 reserved;
};

struct backend_area {
    u32 magic, version;
    u32 size;       /* of the area */
    u32 generation; /* another one when the entries change: everything read before is void; 24 bits, never 0 */
    u32 to_linux;   /* bit i: look at entry i; whoever serves it clears the bit first */
    u32 to_kernel;
    u32 n_entries, reserved;
    struct backend_entry entry[BACKEND_ENTRIES];
};

enum backend_operation { BACKEND_READ, BACKEND_WRITE, BACKEND_FLUSH };

struct backend_block {
    u32 asked, done;
    u32 operation, length; /* bytes, a multiple of 512 */
    u64 sector;
    u32 status; /* of what is done: 0, or the device failed */
    u32 reserved[1017];
    u8 data[BACKEND_DATA];
};

struct backend_frame {
    u32 length;
    u8 byte[2044];
};

struct backend_ring {
    u32 head, tail;
    u32 reserved[1022];
    struct backend_frame frame[BACKEND_FRAMES];
};

struct backend_net {
    struct backend_ring to_linux, to_guests;
};

#endif
