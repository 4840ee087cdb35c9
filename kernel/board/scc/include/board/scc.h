/* SPDX-License-Identifier: MIT */
/*
 * board/scc.h - what the kernels of an SCC share, and what the host tells each (docs/scc.md has the memory map).
 *
 * Everything in struct scc_shared is written by 48 kernels, any of which may be wrong: who reads it takes each word
 * once and bounds it.
 */
#ifndef AMALGAM_BOARD_SCC_H
#define AMALGAM_BOARD_SCC_H

#include <types.h>

#define SCC_CORES  48
#define SCC_TILES  24
#define SCC_ACROSS 6 /* tiles of a row */

/* At this address of each core: what the host prepared (tools/amalgam/board/scc.py). */
#define SCC_INFO  0x9000ul
#define SCC_MAGIC 0x30434353u /* "SCC0" */
#define LUT_VALID 1u

struct scc_info {
    u32 magic, core;
    u32 chosen[2]; /* the cores that boot */
    u32 memory;    /* bytes of the core's own memory, from address 0 on */
    u32 system_base, system_size;
    u32 khz;      /* of the counter; 0: the host does not know */
    u32 lut[256]; /* the board's address that each shows | LUT_VALID */
};

#define SCC_SHARED    0x80000000ul /* LUT entry 128: the board's shared memory */
#define SCC_RING_SIZE 4096u        /* a power of two */

/* What a core says, for core 0 to print: bytes [tail, head), modulo the size; both only grow. */
struct scc_ring {
    u32 head; /* written by the core */
    u32 full; /* the core waits for room: ring it */
    u32 tail; /* written by core 0 */
    u8 text[SCC_RING_SIZE];
};

/* A core's senders of messages and of requests: a bit for each that has sent (mailbox/mailbox.h), and whether it wants
 * to be rung for a message. */
struct scc_mail {
    u32 from[2], sleeps, asked[2], reserved[3];
};

struct scc_shared {
    u64 apic_per_tick;      /* of the local APIC's timer, by core 0 (arch/boot.h) */
    u64 hz;                 /* of the counter, by core 0, before it starts the others */
    u32 up[SCC_CORES];      /* that core's kernel runs */
    u32 rang[SCC_CORES][2]; /* of each core, who rang it: its part of the Global Interrupt Controller */
    struct scc_mail mail[SCC_CORES];
    struct scc_ring ring[SCC_CORES];
    u8 request[SCC_CORES][SCC_CORES][32] __aligned(32); /* of each core, a line from each */
};

#define SCC_MPB      (SCC_SHARED + 0x100000) /* message passing buffers, one a core */
#define SCC_MPB_SIZE 8192u

_Static_assert(sizeof(struct scc_shared) <= 0x100000, "the buffers begin behind it");

/* Off-chip memory for native programs: between the buffers and what is for shared virtual memory. */
#define SCC_PROGRAMS      (SCC_SHARED + 0x200000)
#define SCC_PROGRAMS_SIZE 0x200000u

_Static_assert(SCC_MPB + SCC_CORES * SCC_MPB_SIZE <= SCC_PROGRAMS, "behind the buffers");

#define SCC_SVM_WORDS (SCC_SHARED + 0x400000) /* shared virtual memory (svm/): its words, not cached, ... */
#define SCC_SVM_LINES (SCC_SHARED + 0x4ff000) /* ... a line of MPBT memory a core that no other one uses, ... */
#define SCC_SVM_PAGES (SCC_SHARED + 0x500000) /* ... and the pages, to the end */

static inline void *scc_mpb(unsigned core) { return (void *)(SCC_MPB + core * SCC_MPB_SIZE); }
static inline struct scc_shared *scc_shared(void) { return (struct scc_shared *)SCC_SHARED; }

/* Read struct scc_info, which fills boot_info and what follows here. First of all. */
void scc_read_info(void);
/* Which core this is; whether the host chose that one to boot. */
extern unsigned scc_core;
extern u32 scc_khz; /* struct scc_info's */
bool scc_chosen(unsigned core);

/* Whether a kernel has said that it runs there. */
static inline bool scc_up(unsigned core) { return READ_ONCE(scc_shared()->up[core]) == SCC_MAGIC; }
/* Interrupt `core`, which looks what there is: scc_bell() for its text, and says who rang; the other for a message. Any
 * context. */
void scc_bell(unsigned core);
void scc_interrupt(unsigned core);
/* Start the other cores that were chosen. Core 0, boot. */
void scc_start_others(void);

#endif
