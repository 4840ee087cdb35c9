/* SPDX-License-Identifier: MIT */
/*
 * one_core.h - shared virtual memory on one core, for its tests: the board's shared memory, whose words a test writes
 * as other kernels would, right, late, silent, or wrong; five regions, one of each model; and waits that pass at once.
 */
#ifndef HOST_SVM_ONE_CORE_H
#define HOST_SVM_ONE_CORE_H

#define _GNU_SOURCE /* memfd_create() */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <core/frames.h>
#include <core/init.h>
#include <core/timer.h>
#include <core/wait.h>
#include <errors.h>
#include <hal/aperture.h>
#include <hal/upcalls.h>
#include <signals.h>
#include <stdlib.h>
#include <string.h>
#include <svm/state.h>
#include <sys/mman.h>
#include <unistd.h>

#define ME    2u
#define OTHER 7u
#define THIRD 9u
#define QUIET 40u /* not chosen */
#define PAGES 9u  /* of the strong region: three for each member */

#define SHARED_SIZE (1u << 24)
#define OWN         0x70000000ul /* this core's own memory */
#define OWN_SIZE    0x100000u

unsigned scc_core = ME;
bool host_irq_on = true;
u64 host_now = 1, time_hz = 1000000000;
unsigned host_invalidates;
static unsigned invalidates_when_hidden;
static struct thread thread;
static struct timer *timer;
static u8 shown[SVM_PAGES];        /* 1 for reading, 2 for writing */
static bool shown_copy[SVM_PAGES]; /* it is of this core's own memory */
static u64 freed;
static u32 word_when_hidden, word_when_shown;
static unsigned blocks, block_limit;
static void (*meanwhile)(void);
static struct {
    unsigned to, n;
    struct svm_request last;
    int answer;
} sent;
static char *strong, *lazy, *frozen, *once; /* once: a page for each member */
static char *twins;
static bool no_memory;

bool scc_chosen(unsigned core) { return core == ME || core == OTHER || core == THIRD; }
ticks_t time_from_ns(u64 ns) { return ns; }
struct thread *thread_self(void) { return &thread; }
void printk(const char *fmt, ...) {}
void panic(const char *fmt, ...) { abort(); }
void clear_pages(void *at, u64 count) {}
void mutex_init(struct mutex *m) {}
int mutex_lock(struct mutex *m) { return 0; }
void mutex_unlock(struct mutex *m) {}
void timer_init(struct timer *t, void (*fn)(void *), void *arg) { *t = (struct timer){ .fn = fn, .arg = arg }; }
void timer_arm(struct timer *t, ticks_t deadline)
{
    t->deadline = deadline;
    t->armed = deadline != TICKS_NEVER;
    timer = t;
}
int hal_aperture_init(uintptr_t va, size_t size) { return 0; }

/* Shared memory and, behind it, this core's own are one file, whose pages an aperture shows. */
static int memory;
static inline void map_page(uintptr_t va, int protection, off_t offset)
{
    void *at = mmap((void *)va, PAGE_SIZE, protection, MAP_SHARED | MAP_FIXED, memory, offset);
    assert_ptr_equal(at, va);
}

void *pages_alloc(u64 count)
{
    static u64 used;
    if (no_memory || (used + count) * PAGE_SIZE > OWN_SIZE)
        return NULL;
    used += count;
    return (void *)(OWN + (used - count) * PAGE_SIZE);
}

void frames_free(paddr_t base, u64 count) { freed += count; }

static inline unsigned page_of(uintptr_t va)
{
    assert_in_range(va, SVM_BASE, SVM_BASE + SVM_SIZE - PAGE_SIZE);
    return (unsigned)((va - SVM_BASE) / PAGE_SIZE);
}
void hal_aperture_show(uintptr_t va, paddr_t pa, bool write)
{
    bool copy = pa - OWN < OWN_SIZE;
    assert_true(copy || pa == SCC_SVM_PAGES + page_of(va) * PAGE_SIZE);
    shown[page_of(va)] = write ? 2 : 1;
    shown_copy[page_of(va)] = copy;
    word_when_shown = svm_shared()->owner[page_of(va)];
    map_page(va, PROT_READ | (write ? PROT_WRITE : 0), (off_t)(copy ? SHARED_SIZE + pa - OWN : pa - SCC_SHARED));
}
void hal_aperture_hide(uintptr_t va)
{
    word_when_hidden = svm_shared()->owner[page_of(va)];
    invalidates_when_hidden = host_invalidates;
    shown[page_of(va)] = 0;
    map_page(va, PROT_NONE, 0);
}
void mail_serve(void (*serve)(const struct mail *m)) { assert_ptr_equal(serve, svm_serve); }
int mail_request(unsigned to, const void *data, unsigned bytes)
{
    assert_int_equal(bytes, sizeof(sent.last));
    assert_in_range(to, 0, SCC_CORES - 1);
    if (sent.answer)
        return sent.answer;
    sent.to = to;
    sent.n++;
    memcpy(&sent.last, data, bytes);
    return 0;
}
int thread_block(ticks_t deadline)
{
    assert_true(host_irq_on);
    assert_true(++blocks <= block_limit);
    host_now = deadline;
    if (meanwhile)
        meanwhile();
    return 0;
}

static inline u32 *owner_of(unsigned page) { return &svm_shared()->owner[page]; }

static inline void ask_as(unsigned core, u32 ask, u32 page, u32 word)
{
    struct svm_request r = { ask, page, word };
    struct mail m = { .from = (u8)core, .bytes = sizeof(r) };
    memcpy(m.data, &r, sizeof(r));
    host_irq_on = false;
    svm_serve(&m);
    host_irq_on = true;
}

static inline u16 word_of(unsigned core) { return (u16)svm_shared()->epoch[core].word; }

/* What another member's signal of a barrier is, which is `ahead` of this one's last. */
static inline u32 signal_of_others(s16 ahead)
{
    u16 epoch = (u16)(word_of(ME) + (word_of(ME) & 1));
    return (u32)epoch << 16 | (u16)(signals_counted(OTHER, epoch) + ahead);
}

/* Every member wants to meet if this one does, and has come to every barrier. */
static inline void others_arrive(void)
{
    for (unsigned core = OTHER; core <= THIRD && word_of(ME) & 1; core += THIRD - OTHER)
        svm_shared()->epoch[core].word = word_of(ME);
    signals_set(ME, signal_of_others(1000));
}

static inline void others_call(u32 bytes, u32 model, u32 address)
{
    for (unsigned core = OTHER; core <= THIRD; core += THIRD - OTHER)
        svm_shared()->call[core] = (struct svm_call){ .bytes = bytes, .model = model, .address = address };
}

/* As this member's; what is ended[] is another one's. */
static u32 ended[SCC_CORES];
void host_others_end(void)
{
    for (unsigned core = OTHER; core <= THIRD; core += THIRD - OTHER)
        svm_shared()->call[core].outcome = ended[core] ? ended[core] : svm_shared()->call[ME].outcome;
}

static inline char *allocate(unsigned pages, enum svm_model model)
{
    others_call(pages * PAGE_SIZE, model, 0);
    char *at = svm_alloc(pages * PAGE_SIZE, model);
    assert_non_null(at);
    return at;
}

static inline void allocate_all(void)
{
    others_arrive();
    strong = allocate(PAGES, SVM_STRONG);
    lazy = allocate(2, SVM_LAZY);
    frozen = allocate(2, SVM_READ_ONLY);
    once = allocate(3, SVM_ONCE);
    twins = allocate(2, SVM_TWINS);
}

static inline int group_setup(void **state)
{
    memory = memfd_create("memory", 0);
    if (ftruncate(memory, SHARED_SIZE + OWN_SIZE))
        return -1;
    void *at =
        mmap((void *)SCC_SHARED, SHARED_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, memory, 0);
    void *own =
        mmap((void *)OWN, OWN_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, memory, SHARED_SIZE);
    if (at != (void *)SCC_SHARED || own != (void *)OWN)
        return -1;
    for (const init_call *call = __initcalls_start; call < __initcalls_end; call++)
        (*call)();
    kernels_run();
    allocate_all();
    return 0;
}

/* Page 0 is this core's, page 3 the other's, and nothing is held any more. */
static inline int setup(void **state)
{
    kernels_run();
    others_arrive();
    svm_shared()->beat[OTHER].word = svm_shared()->beat[THIRD].word = 1;
    svm_program_begins();
    memset(ended, 0, sizeof(ended));
    if (!svm_has_met())
        allocate_all();
    memset(&svm_count, 0, sizeof(svm_count));
    memset(shown, 0, sizeof(shown));
    memset(&sent, 0, sizeof(sent));
    for (unsigned page = 0; page < PAGES; page++) {
        *owner_of(page) = svm_owned_by(*owner_of(page), page < 3 ? ME : page < 6 ? OTHER : THIRD);
        shown[page] = page < 3 ? 2 : 0;
    }
    host_now += 1000000000;
    host_invalidates = blocks = 0;
    block_limit = 0;
    meanwhile = NULL;
    host_irq_on = true;
    thread.stop = false;
    if (timer)
        timer->armed = false;
    return 0;
}

#endif
