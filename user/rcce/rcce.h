/* SPDX-License-Identifier: MIT */
/*
 * rcce.h - what the files of the library share: the layout of a core's message passing buffer, counters of chunks, and
 * waiting.
 *
 * A message goes in chunks through the two halves of the sender's buffer: the sender fills one half while the receiver
 * empties the other. For each half the sender counts the chunks that it has put for a receiver in a byte of the
 * receiver's buffer (`sent`), and the receiver counts those that it has taken in a byte of the sender's buffer
 * (`taken`). Counters only grow, so no core resets a byte that another core writes. Another core may write anything; a
 * count that cannot be right is ignored. The bytes of the two halves are in different lines, so that a UE that polls
 * one half is not delayed by accesses to the other.
 *
 * Order on the real SCC (hal/mpbt.h): a store to another line brings the last one to memory. Therefore the data are
 * stored first, then the counter, then `drain`. A reader invalidates its copies before it reads.
 */
#ifndef AMALGAM_USER_RCCE_H
#define AMALGAM_USER_RCCE_H

#include <iRCCE.h>
#include <hal/mpbt.h>
#include <native/calls.h>
#include <types.h>

#include "buffer.h"

#define ROUNDS      6  /* rounds of a barrier: 2^6 >= RCCE_MAXNP */
#define COUNTERS    64 /* bytes, one for each UE, rounded up to whole lines */
#define HALF        (COMBUF / 2 * RCCE_LINE_SIZE)
#define RCCE_TAG    (RCCE_LINE_SIZE - 4) /* bytes of the tag of a flag or a message */
#define AIRS        (2 * RCCE_MAXNP)     /* atomic increment registers for applications, and ... */
#define AIRS_OWN    2                    /* ... for barriers */
#define LOOKS_SHORT 8                    /* polls after which a UE that waits pushes its requests */
#define LOOKS       200                  /* polls after which it lets other threads of its core run, again and again */
#define LOOKS_FIRST 1000                 /* polls before the first time */
#define POLLS       1000                 /* of the application's own polls, one looks whether its program goes on */
#define SHM_OWN     4096                 /* bytes of the shared memory that the library uses */

struct rcce_mpb {
    volatile u8 sent[2][COUNTERS], taken[2][COUNTERS];
    volatile u32 barrier[2][ROUNDS][8]; /* of the world: a line for each round, in two sets that are used in turn */
    volatile u32 size;                  /* bytes of the owner's message that is under way, ... */
    volatile char tag[RCCE_TAG];        /* ... and its tag: both stored before the first chunk is announced */
    volatile u8 came[COUNTERS];         /* for each UE: how often it has arrived at the owner (barriers.c) */
    volatile u32 release, life, kernel; /* life, kernel: meet.c */
    volatile u32 refused;               /* the last split in which a member had no memory (comm.c) */
    volatile u32 behind, turn;          /* queue_lock.c: the UE behind the owner, + 1; the owner has the lock */
    volatile u32 ended, ended_pad;      /* the owner has come through the last barrier: meet.c */
    volatile u32 drain, drain_pad[7];   /* written by the owner only; nothing else is in its line */
    char lines[];                       /* for RCCE_malloc() */
};

_Static_assert(sizeof(struct rcce_mpb) == 800, "25 lines");

/* The library's words of the uncached shared memory, in place of the real SCC's configuration registers. UE 0 clears
 * them before a program starts. */
struct rcce_registers {
    volatile u32 lock[RCCE_MAXNP][8];     /* for each core: test-and-set */
    volatile u32 tail[RCCE_MAXNP][8];     /* for each core's queue lock: the last UE + 1, or 0 */
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
    u32 n_lines;                               /* how many mpb->lines has */
    char *combuf;                              /* in the UE's own buffer; NULL: gory interface */
    u8 put[2][RCCE_MAXNP], got[2][RCCE_MAXNP]; /* counts of chunks, by half and other UE */
    void (*push)(void);                        /* makes progress with iRCCE's requests; NULL: there are none */
    u32 out_open, in_open[RCCE_MAXNP];         /* open sends of iRCCE; open receives, by source */
    u32 polls;                                 /* rcce_polled() */
};

extern struct rcce rcce;

void rcce_out_begin(struct rcce_out *o, const void *data, size_t size, int dest);
/* Put the chunks that can be put now. Returns true when all of the message was taken. */
bool rcce_out_step(struct rcce_out *o);
void rcce_in_begin(struct rcce_in *in, void *data, size_t size, int source);
/* Take the chunks that are there. Returns true when all of the message has come. */
bool rcce_in_step(struct rcce_in *in);
/* The same, but discard them. */
bool rcce_in_skip(struct rcce_in *in);
/* Returns whether a message from `source` waits, or the next chunk of one that is being received. */
bool rcce_waits(int source);
/* The same, with the message's size. No message from `source` may be being received. */
bool rcce_waits_size(int source, size_t *size);
/* Copy at most RCCE_TAG bytes of the tag of a message that waits. */
void rcce_read_tag(int source, void *tag, int length);
/* Wait until no request sends, or no request receives from `source`. */
void rcce_await_out(void);
void rcce_await_in(int source);

/* The state of a wait, which is begun once a wait. Only rcce_relax() counts. */
struct rcce_wait {
    unsigned looks;
};
/* rcce_relax() at each LOOKS_SHORT-th look. */
void rcce_relax_long(unsigned looks);
/* Let other threads of the core run. Ends the program if the kernel of one of its cores has died. */
void rcce_rest(void);
/* A call that does not wait has found nothing. The application may call it again and again, so each POLLS-th time look
 * whether the program goes on, without sleeping. */
void rcce_polled(void);
/* Wait a little between two looks of a wait: let others run. Does not return if the program was stopped, or has lost a
 * core. Returns true if requests were pushed, which may have ended what is waited for. */
static inline bool rcce_relax(struct rcce_wait *w)
{
    __asm__ volatile("pause");
    if (++w->looks % LOOKS_SHORT)
        return false;
    rcce_relax_long(w->looks);
    return true;
}
/* Wait until `what` is true. */
#define rcce_await(what) for (struct rcce_wait wait_ = { 0 }; !(what); rcce_relax(&wait_))
/* Read a word of a buffer from memory, not from a stale copy. */
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
/* Returns whether the receiver has taken the chunk that was put for it into a half. */
static inline bool rcce_taken(int dest, unsigned half)
{
    return rcce_look_byte(&rcce.own->taken[half][dest]) == rcce.put[half][dest];
}
/* Returns whether the next chunk from `source` is in a half of its buffer. */
static inline bool rcce_came(int source, unsigned half)
{
    return (u8)(rcce_look_byte(&rcce.own->sent[half][source]) - rcce.got[half][source]) == 1;
}
/* Store a byte or word that announces what was stored before, and bring both to memory. */
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

/* Copy any number of bytes by words, with one instruction for four bytes. */
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
/* Returns `error`, and prints it if errors of its group are to be printed. */
int rcce_error(enum rcce_group group, int error);

static inline bool rcce_ue_ok(int ue) { return ue >= 0 && ue < rcce.n; }
/* Check the other side, or a message's arguments. Return RCCE_SUCCESS or an error. */
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
/* Find the offset of an address in the lines of the UE's own buffer. Returns false if the `bytes` bytes from there are
 * not all in them. */
bool rcce_offset(const volatile void *at, size_t bytes, size_t *offset);
/* Begin together with all UEs, whatever is left of an earlier run. Ends the program if a UE's core does not boot. */
void rcce_meet(void);
/* End it with the status of a program that has lost a core. */
_Noreturn void rcce_end(void);
/* Set up the memory of the buffer. */
void rcce_lines_init(void);
void rcce_comm_world(void);
void rcce_shm_init(void);
void rcce_barriers_init(void);
void rcce_queue_init(void);
void rcce_air_init(void);
void rcce_air_clear(void); /* called before any UE starts */

/* For barriers: a group's counter, which every barrier of the group increments, and the word on which each member
 * waits.
 */
struct rcce_words {
    u32 *number;
    size_t release;        /* offset of the word in each member's buffer */
    const RCCE_COMM *comm; /* the members; they have been checked */
};
/* Returns RCCE_SUCCESS or RCCE_ERROR_COMM_UNDEFINED. */
int rcce_group(const RCCE_COMM *comm, struct rcce_words *group);

/* Take ue's lock if it is free. Returns whether it was. */
static inline bool rcce_take(int ue)
{
    u32 was = 1;
    __asm__ volatile("xchgl %0, %1" : "+r"(was), "+m"(*rcce.lock[ue])::"memory");
    return !was;
}
/* Free ue's lock, after bringing what was stored before to memory. */
static inline void rcce_give(int ue)
{
    mpbt_drain(&rcce.own->drain);
    __atomic_store_n(rcce.lock[ue], 0, __ATOMIC_RELEASE);
}

#endif
