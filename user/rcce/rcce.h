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
#define RCCE_TAG    (RCCE_LINE_SIZE - 4) /* bytes beside a flag, or a message */
#define AIRS        (2 * RCCE_MAXNP)     /* for applications, and ... */
#define AIRS_OWN    2                    /* ... for barriers */
#define LOOKS_SHORT 8                    /* before it looks after its requests */
#define LOOKS       200                  /* before a UE that waits lets its core do something else */
#define SHM_OWN     4096                 /* bytes of the shared memory that the library has */

struct rcce_mpb {
    volatile u8 sent[2][COUNTERS], taken[2][COUNTERS];
    volatile u32 barrier[2][ROUNDS][8]; /* the world's: a line a round, of every second barrier */
    volatile u32 size;                  /* of the owner's message that is under way, ... */
    volatile char tag[RCCE_TAG];        /* ... and its tag: written before its first chunk is told */
    volatile u8 came[COUNTERS];         /* by each UE: how often it has come to the owner (barriers.c) */
    volatile u32 release, release_pad[3];
    volatile u32 behind, turn, turn_pad[2]; /* queue_lock.c: who waits behind the owner, + 1; the owner has it */
    volatile u32 drain, drain_pad[3];       /* the owner's */
    volatile u32 runs, go, go_pad[2];       /* a program runs; UE 0 lets it begin */
    char lines[];                           /* for RCCE_malloc() */
};

_Static_assert(sizeof(struct rcce_mpb) == 800, "25 lines");

/* The library's words of the shared memory, which nobody caches: what are configuration registers on the part. UE 0
 * clears them before a program begins. */
struct rcce_registers {
    volatile u32 lock[RCCE_MAXNP][8];     /* of each core, test-and-set */
    volatile u32 tail[RCCE_MAXNP][8];     /* of each core's queue: a UE + 1, or 0 */
    volatile int air[AIRS + AIRS_OWN][2]; /* atomic increment */
};

_Static_assert(sizeof(struct rcce_registers) <= SHM_OWN, "in what the library has");

struct rcce {
    const struct native_calls *calls;
    int ue, n;            /* -1, 0: not initialized */
    int core[RCCE_MAXNP]; /* of each UE */
    struct rcce_mpb *mpb[RCCE_MAXNP];
    struct rcce_mpb *own;
    struct rcce_registers *registers;
    volatile u32 *lock[RCCE_MAXNP];            /* of each UE */
    u32 n_lines;                               /* of mpb->lines */
    char *combuf;                              /* in the own buffer; NULL: gory */
    u8 put[2][RCCE_MAXNP], got[2][RCCE_MAXNP]; /* chunks, by half and the other UE */
    void (*push)(void);                        /* iRCCE's requests go on; NULL: there are none */
    u32 out_open, in_open[RCCE_MAXNP];         /* iRCCE's requests, and by source who receives */
};

extern struct rcce rcce;

void rcce_out_begin(struct rcce_out *o, const void *data, size_t size, int dest);
/* Put what can be put; true: all of it was taken. */
bool rcce_out_step(struct rcce_out *o);
void rcce_in_begin(struct rcce_in *in, void *data, size_t size, int source);
/* Take what is there; true: all came. */
bool rcce_in_step(struct rcce_in *in);
/* The same, to nowhere. */
bool rcce_in_skip(struct rcce_in *in);
/* Whether a message from `source` waits, or half of one that is being received. */
bool rcce_waits(int source);
/* The same, and how long the message is. Only when none from there is being received. */
bool rcce_waits_size(int source, size_t *size);
/* Copy at most RCCE_TAG bytes of the tag of a message that waits. */
void rcce_read_tag(int source, void *tag, int length);
/* Wait until nobody else sends, or receives from there. */
void rcce_await_out(void);
void rcce_await_in(int source);

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
/* Whether the receiver has taken what was put for it into a half. */
static inline bool rcce_taken(int dest, unsigned half)
{
    return rcce_look_byte(&rcce.own->taken[half][dest]) == rcce.put[half][dest];
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

enum rcce_group { DEBUG_SYNCH = 1, DEBUG_COMM = 2, DEBUG_RPC = 4, DEBUG_DEBUG = 8, DEBUG_ALWAYS = 16 };
/* Returns `error`, printed if its group is to be. */
int rcce_error(enum rcce_group group, int error);

static inline bool rcce_ue_ok(int ue) { return ue >= 0 && ue < rcce.n; }
/* Returns RCCE_SUCCESS, or what is wrong with the other side, or with a message's arguments. */
static inline int rcce_check_peer(int ue)
{
    if (!rcce_ue_ok(ue) || ue == rcce.ue)
        return RCCE_ERROR_ID;
    return rcce.combuf ? RCCE_SUCCESS : RCCE_ERROR_MALLOC;
}
static inline int rcce_check_message(const void *buffer, size_t size, int ue)
{
    int error = rcce_check_peer(ue);
    return !error && !buffer && size ? RCCE_ERROR_VAL_UNDEFINED : error;
}
/* The offset of an address in the own buffer's lines; false: it is not one of them, with `bytes` behind it. */
bool rcce_offset(const volatile void *at, size_t bytes, size_t *offset);
/* Memory of the buffer. */
void rcce_lines_init(void);
void rcce_comm_world(void);
void rcce_shm_init(void);
void rcce_barriers_init(void);
void rcce_queue_init(void);
void rcce_air_init(void);
void rcce_air_clear(void); /* before anybody begins */

/* For barriers: a group's counter, which every barrier of the group increments, and the word that each member waits
 * for. */
struct rcce_words {
    u32 *number;
    size_t release;        /* its offset in each member's buffer */
    const RCCE_COMM *comm; /* the members, which were checked */
};
/* Returns RCCE_SUCCESS or RCCE_ERROR_COMM_UNDEFINED. */
int rcce_group(const RCCE_COMM *comm, struct rcce_words *group);

/* Take ue's lock, if it is free. */
static inline bool rcce_take(int ue)
{
    u32 was = 1;
    __asm__ volatile("xchgl %0, %1" : "+r"(was), "+m"(*rcce.lock[ue])::"memory");
    return !was;
}
/* What was stored before reaches memory before the lock is free. */
static inline void rcce_give(int ue)
{
    mpbt_drain(&rcce.own->drain);
    __atomic_store_n(rcce.lock[ue], 0, __ATOMIC_RELEASE);
}

#endif
