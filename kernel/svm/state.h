/* SPDX-License-Identifier: MIT */
/*
 * state.h - data that the members share besides the pages, and functions that the files of this folder share.
 *
 * The words are in shared memory that is not cached, and any kernel may write any of them: a reader reads a word once
 * and bounds it. A word has one writer at a time, so no atomic instruction is needed but a lock's exchange. Words that
 * a core writes often have a line of their own.
 */
#ifndef AMALGAM_SVM_STATE_H
#define AMALGAM_SVM_STATE_H

#include <board/scc.h>
#include <hal/aperture.h>
#include <mail/mail.h>
#include <svm/svm.h>

#include "home.h"
#include "keep.h"
#include "outside.h"

#define SVM_REGIONS 32u
#define SVM_ROUNDS  6u /* of a barrier: 2^6 >= SCC_CORES */

/* A strong page's owner word: in the low byte the core + 1 (0: the page was never allocated), in the rest how often
 * it changed. A request names the whole word, so a late one matches nothing. */
#define OWNER_CORE 0xffu
#define OWNER_STEP 0x100u
#define OWNER_ALL  0xfeu /* in place of a core's number: written once, and read-only for all */

#define SVM_ENDED ~0u

struct svm_call {
    u32 bytes, model, address; /* arguments of svm_alloc(), svm_change(), compared between the members */
    u32 outcome;               /* enum svm_outcome: what the call has come to here */
    u32 reserved[4];
};
enum svm_outcome { SVM_DONE = 0x444f4e45, SVM_FAILED = 0x4641494c };

struct svm_word {
    u32 word, reserved[7];
};

struct svm_lock {
    u32 taken;  /* test-and-set */
    u32 holder; /* its core + 1; 0: not known */
    u32 beat;   /* how often the holder was asked whether it holds this lock */
    u32 reserved[5];
};

struct svm_shared {
    u32 owner[SVM_PAGES];
    struct svm_call call[SCC_CORES];
    /* 0 before the core's first barrier; then counts the requests that it has handled, a sign of life; or SVM_ENDED */
    struct svm_word beat[SCC_CORES];
    struct svm_says {
        u32 word, kernel, reserved[6];
    } epoch[SCC_CORES];                                /* meet.c */
    struct svm_word arrived[2][SVM_ROUNDS][SCC_CORES]; /* by turns: the count of barriers % 2 */
    struct svm_lock lock[SCC_CORES][SVM_LOCKS];        /* by the first member's core */
};

_Static_assert(sizeof(struct svm_shared) <= SCC_SVM_LINES - SCC_SVM_WORDS, "board/scc.h has room");
_Static_assert(SCC_SVM_PAGES + SVM_SIZE <= SCC_SHARED + (1u << 24), "an entry of a LUT");

static inline struct svm_shared *svm_shared(void) { return (struct svm_shared *)SCC_SVM_WORDS; }
static inline uintptr_t svm_address(unsigned page) { return SVM_BASE + page * PAGE_SIZE; }
static inline bool svm_has_owner(enum svm_model model) { return model == SVM_STRONG || model == SVM_ONCE; }
static inline unsigned svm_owner(u32 word) { return (word & OWNER_CORE) - 1; } /* SCC_CORES and above: no owner */
static inline u32 svm_owned_by(u32 word, unsigned core) { return (word & ~OWNER_CORE) + OWNER_STEP + core + 1; }

/* Contents of a request (mail_request()). */
enum svm_ask {
    SVM_PING,
    SVM_WANT,
    SVM_READ, /* of a page that is written once */
    SVM_HOLD  /* does the receiver hold lock number `page`? */
};
struct svm_request {
    u32 ask, page, word;
};

extern struct svm_stats svm_count;

/* member.c: the members. */
bool svm_is_member(unsigned core);
/* Only those of `cores` (bit n: core n) are members; boot. svm_is_member() says so of all that were chosen to boot. */
void svm_choose(u64 cores);
unsigned svm_member(unsigned number); /* returns the core of a rank below svm_members() */

/* show.c: map / unmap a page on this core. Interrupts are off, or no other core uses the page. */
void svm_show(unsigned page, bool write);
/* The same with any frame in place of the page's own: a copy of this core's. Thread context. */
static inline void svm_map(unsigned page, paddr_t pa, bool write)
{
    hal_aperture_show(svm_address(page), pa, write);
    svm_show_outside(page, pa, write);
}
/* The frame itself for the kernel only, which a process does not reach meanwhile (twin.c). */
void svm_show_inside(unsigned page, bool write);
void svm_hide(unsigned page);
/* Return the first page from this one on that is mapped here; SVM_PAGES: none. */
unsigned svm_next_shown(unsigned page);
/* Forget what L1 has of pages; bring what this core wrote to pages to memory. Any context. */
void svm_invalidate(void);
void svm_drain(void);
/* Tell the emulator's clocks that the page is about to leave this core (hal/cache.h). */
void svm_mark_leave(unsigned page);

/* region.c */
struct svm_region {
    unsigned first, pages;
    enum svm_model model;
    u8 *copies; /* twin.c: this core's copy of each page, then the twin of each; NULL: no room was made */
};
extern struct svm_region svm_region[SVM_REGIONS];
extern unsigned svm_regions; /* entries in use from 0 on; one without pages is none */
/* Place a region. Returns NULL: no room. append.c or place.c */
struct svm_region *svm_region_add(unsigned pages, enum svm_model model);
/* Return the region of an allocated page; NULL: it is in none. Any context. */
struct svm_region *svm_region_of(unsigned page);
/* Return the region that begins at `at`; NULL: none. */
struct svm_region *svm_region_at(uintptr_t at);
/* Return the model of an allocated page in *model; false: it is in no region. Any context. */
bool svm_model_of(unsigned page, enum svm_model *model);

/* place.c: make a gap of a region. */
void svm_region_remove(struct svm_region *r);

/* free.c: remove the region at `at`, a collective call (svm/space.h). */
int svm_free(const void *at);

/* fault.c: make a page accessible by the model of its region. Returns 0, or why not: -EFAULT: it is in no region;
 * -EACCES: it is read-only; errors of svm_own(). Thread context, interrupts on. */
int svm_access(unsigned page, bool write);

/* alloc.c: what a collective call begins and ends with; between the two no member touches pages of a region. */
/* Compare what all members ask for; -EINVAL at all members, if at one. Returns 0, -EINVAL, or the barrier's error. */
int svm_agree(u32 bytes, u32 model, u32 address);
/* Wait for all members. `err`: what the call has come to. Returns it, the barrier's error, or -EPIPE: the call has
 * failed at some members only, so that none can go on with the others. */
int svm_finish(int err);
/* Free a region's memory for copies. */
void svm_room_free(u8 *copies, unsigned pages);

/* twin.c: pages by copies. Thread context. */
/* Show the page's copy, which is made if there is none; `write`: after a twin was made. */
void svm_twin(const struct svm_region *r, unsigned page, bool write);
/* Returns whether there are copies, or one is being made. */
bool svm_has_copies(void);
/* Store what differs from the twins. svm_pages_lock() is held, here and below. */
void svm_twins_merge(void);
/* The same, then forget all copies. */
void svm_twins_forget(void);

/* own.c: pages with an owner. */
/* Make this core the owner of a page and map it; or map a page that is written once for reading. Returns 0, -EBADMSG:
 * no kernel owns it, -EACCES: all read it already, -ENODEV, -ETIMEDOUT: its owner is dead, -ECANCELED. Thread context,
 * interrupts on. */
int svm_own(unsigned page);
int svm_own_once(unsigned page, bool write);
/* Make this core the first owner; no other core uses the page before the next barrier. */
void svm_own_first(unsigned page);
/* Handle a request. Interrupt context. */
void svm_serve(const struct mail *m);
/* With SVM_KEEP: look at requests that wait once more. Any context. */
void svm_look_again(void);
/* Returns whether there are any. Any context. */
bool svm_someone_waits(void);

/* meet.c: epochs of the members. */
/* Be in an epoch with all members, which is a barrier if this one is in none. Returns 0 or the barrier's error. */
int svm_meet(void);
/* Returns the epoch that this member is in, if it is in one; which is svm_has_met(). */
u16 svm_epoch(void);
bool svm_has_met(void);
/* This member has failed and leaves the epoch: who waits for it gets an error. Its next call of all meets the others
 * again. */
void svm_leave(void);
/* Returns whether this member is in an epoch, and that core is not, and does not come to it. Any context. */
bool svm_has_left(unsigned core);
/* Write this member's word again. Any context. */
void svm_say_again(void);

/* region.c: hide and forget all regions, before a new epoch. Returns 0, or -ECANCELED. */
int svm_drop(void);
/* append.c or place.c: there is none. */
void svm_regions_clear(void);

/* sync.c: the first barrier of an epoch. */
int svm_pass(void);
/* This core holds no lock any more / no core does: before the first barrier. */
void svm_locks_lost(void);
void svm_locks_clear(void);
/* Write this core's signals of barriers again. Any context. */
void svm_signal_again(void);
/* Forget this core's signals, and those that others have sent it: no epoch in which it will be has any yet. */
void svm_signals_clear(void);
/* Give a sign that this core holds lock `n`, if it does. Returns false: there is no such lock. Any context. */
bool svm_lock_beat(u32 n);

/* wait.c: waits for another core with a limit. */
/* Give a sign of life of this core. Any context. */
void svm_beat(void);
/* This core's program has ended and comes to no barrier any more, though its kernel runs: others get an error. */
void svm_program_ended(void);
/* Returns whether that core's has. */
bool svm_program_has_ended(unsigned core);
/* A program begins on this core, after one that has gone. */
void svm_program_begins(void);
struct svm_wait {
    unsigned core, looks;
    bool ask;              /* ask it for signs of life, which extend the deadline */
    const u32 *sign;       /* the word that changes with each */
    struct svm_request is; /* what it is asked */
    u32 beat;
    ticks_t deadline;
};
/* Begin to wait for a core, which lives if it is not a dead one's (`ask`) / for who holds lock `n`: a core that lives
 * and does not hold it changes no `sign` / go on with another core, after as many looks. */
void svm_wait_begin(struct svm_wait *w, unsigned core, bool ask);
void svm_wait_holder(struct svm_wait *w, unsigned core, unsigned n, const u32 *sign);
void svm_wait_other(struct svm_wait *w, unsigned core);
/* Pass some time between two checks of a condition. Returns 0: check again; -ETIMEDOUT: the core is dead; -ECANCELED.
 */
int svm_wait_more(struct svm_wait *w);
/* With SVM_KEEP, the same without sleep: a page comes in less time than a sleep takes, and others wait for who has one
 * and sleeps. */
int svm_wait_close(struct svm_wait *w);
static inline void svm_wait_close_begin(struct svm_wait *w, unsigned core)
{
    w->core = core;
    w->looks = 0;
}

#endif
