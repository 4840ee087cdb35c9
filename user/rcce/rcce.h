/* SPDX-License-Identifier: MIT */
/*
 * rcce.h - what the files of the library share: the layout of a core's message passing buffer, counters of chunks, and
 * how a UE waits.
 *
 * A message goes in chunks through the sender's buffer, half by half: the sender fills one while the receiver empties
 * the other. For each half the sender counts the chunks that it has put for a receiver in a byte of the receiver's
 * buffer
 * (`sent`), the receiver those that it has taken in a byte of the sender's (`taken`). Counters only grow, so nobody
 * resets a byte that another core writes. What they say is another core's word: a count that cannot be is as none.
 * Bytes of the two halves are in different lines: who waits for one half waits for nothing that was done to the other.
 *
 * Order on the part (hal/mpbt.h): a store to another line brings the last one to memory, so data, then the counter,
 * then a store to `drain`. A reader invalidates its copies before it looks.
 */
#ifndef AMALGAM_USER_RCCE_H
#define AMALGAM_USER_RCCE_H

#include <iRCCE.h>
#include <hal/mpbt.h>
#include <native/calls.h>
#include <types.h>

#define ROUNDS      6   /* of a barrier: 2^6 >= RCCE_MAXNP */
#define COUNTERS    64  /* whole lines, with one for each UE */
#define COMBUF      126 /* lines of the simple interface's buffer: two halves */
#define HALF        (COMBUF / 2 * RCCE_LINE_SIZE)
#define LOOKS_SHORT 8    /* before it looks after its requests */
#define LOOKS       200  /* before a UE that waits lets its core do something else */
#define SHM_OWN     4096 /* bytes of the shared memory that the library has */

struct rcce_mpb {
    volatile u8 sent[2][COUNTERS], taken[2][COUNTERS];
    volatile u32 barrier[2][ROUNDS][8]; /* the world's: a line a round, of every second barrier */
    volatile u32 lock, lock_pad[7];
    volatile u32 drain, drain_pad[3]; /* the owner's */
    volatile u32 runs, go, go_pad[2]; /* a program runs; UE 0 lets it begin */
    char lines[];                     /* for RCCE_malloc() */
};

_Static_assert(sizeof(struct rcce_mpb) == 704, "22 lines");

struct rcce {
    const struct native_calls *calls;
    int ue, n;            /* -1, 0: not initialized */
    int core[RCCE_MAXNP]; /* of each UE */
    struct rcce_mpb *mpb[RCCE_MAXNP];
    struct rcce_mpb *own;
    u32 n_lines;                               /* of mpb->lines */
    char *combuf;                              /* in the own buffer; NULL: gory */
    u8 put[2][RCCE_MAXNP], got[2][RCCE_MAXNP]; /* chunks, by half and the other UE */
    void (*push)(void);                        /* iRCCE's requests go on; NULL: there are none */
    u32 out_open, in_open[RCCE_MAXNP];         /* iRCCE's requests, by source */
};

extern struct rcce rcce;

void rcce_out_begin(struct rcce_out *o, const void *data, size_t size, int dest);
/* Put what can be put; true: all of it was taken. */
bool rcce_out_step(struct rcce_out *o);
void rcce_in_begin(struct rcce_in *in, void *data, size_t size, int source);
/* Take what is there; true: all came. */
bool rcce_in_step(struct rcce_in *in);
/* Returns RCCE_SUCCESS, or what is wrong with a message's arguments. */
int rcce_check_message(const void *buffer, size_t size, int ue);
/* Whether a chunk from `source` waits. */
bool rcce_waits(int source);

/* Look once more, later: others go on, a stopped program ends. `looks` counts them. */
void rcce_relax_long(unsigned looks);
static inline void rcce_relax(unsigned *looks)
{
    __asm__ volatile("pause");
    if (++*looks % LOOKS_SHORT == 0)
        rcce_relax_long(*looks);
}
/* The word of a buffer, as it is in memory now. */
static inline u32 rcce_look(const volatile u32 *word)
{
    mpbt_invalidate();
    cache_poll_line(word);
    return *word;
}
static inline u8 rcce_look_byte(const volatile u8 *byte)
{
    mpbt_invalidate();
    cache_poll_line(byte);
    return *byte;
}
/* Store a word that tells what was stored before. */
static inline void rcce_tell_byte(volatile u8 *byte, u8 value)
{
    *byte = value;
    mpbt_drain(&rcce.own->drain);
}
static inline void rcce_tell(volatile u32 *word, u32 value)
{
    *word = value;
    mpbt_drain(&rcce.own->drain);
}

/* A copy of any size, by words: one instruction for four bytes. */
static inline void rcce_copy(volatile void *to, const volatile void *from, size_t n)
{
    size_t words = n / 4, bytes = n % 4;
    volatile void *t = to;
    const volatile void *f = from;
    __asm__ volatile("rep movsl" : "+D"(t), "+S"(f), "+c"(words)::"memory");
    if (bytes)
        __asm__ volatile("rep movsb" : "+D"(t), "+S"(f), "+c"(bytes)::"memory");
}

enum rcce_group { DEBUG_SYNCH = 1, DEBUG_COMM = 2, DEBUG_RPC = 4, DEBUG_DEBUG = 8 };
/* Returns `error`, printed if its group is to be. */
int rcce_error(enum rcce_group group, int error);

static inline bool rcce_ue_ok(int ue) { return ue >= 0 && ue < rcce.n; }
/* The offset of an address in the own buffer's lines; false: it is not one of them, with `bytes` behind it. */
bool rcce_offset(const volatile void *at, size_t bytes, size_t *offset);
/* Memory of the buffer. */
void rcce_lines_init(void);
void rcce_comm_world(void);
void rcce_shm_init(void);

#endif
