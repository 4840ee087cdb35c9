/* SPDX-License-Identifier: MIT */
/*
 * board/scc.h - memory that the kernels of an SCC share, and the host's information for each (docs/scc.md has the
 * memory map).
 *
 * All of struct scc_shared is written by 48 kernels, each of which may be wrong: a reader reads each word once and
 * bounds it.
 */
#ifndef AMALGAM_BOARD_SCC_H
#define AMALGAM_BOARD_SCC_H

#include <life.h>

#define SCC_CORES  48
#define SCC_TILES  24
#define SCC_ACROSS 6 /* tiles of a row */

/* The address of the host's information in each core's memory (tools/amalgam/board/scc.py). */
#define SCC_INFO  0x9000ul
#define SCC_MAGIC 0x30434353u /* "SCC0" */
#define LUT_VALID 1u

/* Commands of the local APIC that reset a core, and start it at a page below 1 MiB, which is added. */
#define SCC_ICR_INIT    0x4500u
#define SCC_ICR_STARTUP 0x4600u
#define SCC_START_ROM   0xf0u /* reset.S */

struct scc_info {
    u32 magic, core;
    u32 chosen[2]; /* the cores that boot */
    u32 memory;    /* bytes of the core's own memory, from address 0 on */
    u32 system_base, system_size;
    u32 khz;        /* rate of the counter; 0: the host does not know it */
    u32 lut[256];   /* board address of each entry | LUT_VALID */
    u32 doorbell;   /* board address of a fleet's device, which interrupts others; 0: the local APIC does */
    u32 start_page; /* where the others begin at their start-up interrupt; not SCC_START_ROM: on a PC, in pc.S */
    u32 life;       /* which life of the core's kernel this is (life.h): counted by who loads its memory */
    u32 seed[8];    /* random bytes of this life; zeros: the host gives none */
};

#define SCC_SHARED    0x80000000ul /* LUT entry 128: the board's shared memory */
#define SCC_RING_SIZE 4096u        /* a power of two */

/* A core's text for core 0 to print: bytes [tail, head), modulo the size; both only grow. */
struct scc_ring {
    u32 head; /* written by the core */
    u32 full; /* the core waits for room: ring it */
    u32 tail; /* written by core 0 */
    u8 text[SCC_RING_SIZE];
};

/* Of a core: a bit for each core that has sent a message / a request to it (mail/mail.h), whether it wants to be
 * interrupted for a message, and a bit for each core that has taken a message for which its sender waits. */
struct scc_mail {
    u32 from[2], sleeps, asked[2], taken[2], reserved;
};

struct scc_shared {
    u64 apic_per_tick; /* rate of the local APIC's timer, by core 0 (arch/boot.h) */
    u64 hz;            /* rate of the counter, by core 0 before it starts the others */
    u32 up[SCC_CORES]; /* the number of the life of the core's kernel, which runs (below); 0: none does */
    /* A page of its own ends here, which processes read (process/chip.h). */
    /* for each core the cores that rang it: its part of the Global Interrupt Controller */
    u32 rang[SCC_CORES][2] __aligned(4096);
    struct scc_mail mail[SCC_CORES];
    struct scc_ring ring[SCC_CORES];
    u8 request[SCC_CORES][SCC_CORES][32] __aligned(32); /* for each core a line from each core */
    u8 next[SCC_CORES][SCC_CORES]; /* for each core the mail line of each sender that it takes next: 0 or 1 */
    u32 beat[SCC_CORES];           /* the seconds for which the core's kernel has run (watch.c) */
    u32 mask[SCC_CORES][2];       /* for each core the cores whose rings only set their bits in `rang` (board/gic.h), */
    u32 configuration[SCC_CORES]; /* whether rings interrupt it at all, */
    u32 tile[SCC_CORES];          /* and where it is on the chip */
    u32 printed;                  /* bytes of other kernels' text that core 0 has printed; only grows */
    u32 dropped[SCC_CORES];       /* bytes that the core's kernel could not give to its ring; only grows */
    u32 off[SCC_CORES];           /* not 0: its kernel has come to its power-off and says nothing more */
};

#define SCC_MPB      (SCC_SHARED + 0x100000) /* message passing buffers, one for each core */
#define SCC_MPB_SIZE 8192u
#define SCC_MPB_MAIL 3072u /* bytes at the start of each: lines for messages to the core's kernel (mail/) */

/* Frames between cores' switches (net/mesh.h). */
#define SCC_MESH      (SCC_SHARED + 0x50000)
#define SCC_MESH_SIZE 0xb0000u

_Static_assert(SCC_SHARED + sizeof(struct scc_shared) <= SCC_MESH && SCC_MESH + SCC_MESH_SIZE <= SCC_MPB,
               "in this order");

/* Off-chip memory for native programs, each of which has a part of its own (native/native.h): between the buffers and
 * shared virtual memory. */
#define SCC_PROGRAMS      (SCC_SHARED + 0x200000)
#define SCC_PROGRAMS_SIZE 0x200000u

/* Off-chip memory for processes (chip/chip.c), behind the buffers. */
#define SCC_PROCESSES      (SCC_SHARED + 0x160000)
#define SCC_PROCESSES_SIZE 0xa0000u

_Static_assert(SCC_MPB + SCC_CORES * SCC_MPB_SIZE <= SCC_PROCESSES &&
                   SCC_PROCESSES + SCC_PROCESSES_SIZE <= SCC_PROGRAMS,
               "in this order");

#define SCC_SVM_WORDS (SCC_SHARED + 0x400000) /* shared virtual memory (svm/): its words, not cached, */
#define SCC_SVM_LINES (SCC_SHARED + 0x4ff000) /* a line of MPBT memory for each core, which no other core uses, */
#define SCC_SVM_PAGES (SCC_SHARED + 0x500000) /* and the pages, to the end */

static inline void *scc_mpb(unsigned core) { return (void *)(SCC_MPB + core * SCC_MPB_SIZE); }
static inline struct scc_shared *scc_shared(void) { return (struct scc_shared *)SCC_SHARED; }

/* Read struct scc_info; sets boot_info and the variables below. Called first of all. */
void scc_read_info(void);
/* This core's number, and that of its kernel's life; the counter's rate from struct scc_info; whether the host chose a
 * core to boot. */
extern unsigned scc_core;
extern u32 scc_life;
extern u32 scc_khz;       /* from struct scc_info */
extern u32 scc_registers; /* from struct scc_info: doorbell */
extern u32 scc_start_page;
bool scc_chosen(unsigned core);

/* Set the bit of this core in a word for each core, without a lock: two words at `bits`. BTS finds the word itself. */
static __inlined void scc_set_bit(u32 *bits)
{
    __asm__ volatile("lock btsl %1, %0" : "+m"(*(u32(*)[2])bits) : "r"(scc_core) : "cc", "memory");
}

/*
 * Return the number of that core's kernel, which runs; 0: none does. A next kernel has another number, and so has one
 * that others have taken for dead (watch.c): who compares a number with an earlier one misses no end, whenever it
 * looks. The low LIFE_BITS are those of its life; above them it is counted how often it was found dead.
 */
static inline u32 scc_up(unsigned core) { return READ_ONCE(scc_shared()->up[core]); }
#define SCC_FOUND_DEAD (1u << LIFE_BITS)
/* Interrupt `core`, if it wants that (board/gic.h): scc_bell() names the sender, for text; scc_interrupt() does not,
 * for messages, unless the receiver holds it back. scc_raise() asks no register. Any context. */
void scc_bell(unsigned core);
void scc_interrupt(unsigned core);
void scc_raise(unsigned core);
/* In a fleet, where each core is a machine of its own: the register by which it interrupts others (QEMU,
 * docs/specs/ivshmem-spec.rst). Else NULL. scc_doorbell_init() maps it; boot, before the first ring. Returns 0 or
 * -ENODEV. */
extern volatile u32 *scc_doorbell;
int scc_doorbell_init(void);
/* Start the other chosen cores. Core 0, boot. */
void scc_start_others(void);

#endif
