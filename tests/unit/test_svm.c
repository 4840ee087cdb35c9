/* SPDX-License-Identifier: MIT */
/* Shared virtual memory as one core sees it: the ownership of pages, collective calls, barriers and locks, with the
 * words and requests of other kernels right, late, silent, and wrong. */
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
#include <hal/window.h>
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
int hal_window_init(uintptr_t va, size_t size) { return 0; }

/* Shared memory and, behind it, this core's own are one file, whose pages a window shows. */
static int memory;
static void map_page(uintptr_t va, int protection, off_t offset)
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

static unsigned page_of(uintptr_t va)
{
    assert_in_range(va, SVM_BASE, SVM_BASE + SVM_SIZE - PAGE_SIZE);
    return (unsigned)((va - SVM_BASE) / PAGE_SIZE);
}
void hal_window_show(uintptr_t va, paddr_t pa, bool write)
{
    bool copy = pa - OWN < OWN_SIZE;
    assert_true(copy || pa == SCC_SVM_PAGES + page_of(va) * PAGE_SIZE);
    shown[page_of(va)] = write ? 2 : 1;
    shown_copy[page_of(va)] = copy;
    word_when_shown = svm_shared()->owner[page_of(va)];
    map_page(va, PROT_READ | (write ? PROT_WRITE : 0), (off_t)(copy ? SHARED_SIZE + pa - OWN : pa - SCC_SHARED));
}
void hal_window_hide(uintptr_t va)
{
    word_when_hidden = svm_shared()->owner[page_of(va)];
    invalidates_when_hidden = host_invalidates;
    shown[page_of(va)] = 0;
    map_page(va, PROT_NONE, 0);
}
void mailbox_serve(void (*serve)(const struct mail *m)) { assert_ptr_equal(serve, svm_serve); }
int mailbox_request(unsigned to, const void *data, unsigned bytes)
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

static u32 *owner_of(unsigned page) { return &svm_shared()->owner[page]; }

static void ask_as(unsigned core, u32 ask, u32 page, u32 word)
{
    struct svm_request r = { ask, page, word };
    struct mail m = { .from = (u8)core, .bytes = sizeof(r) };
    memcpy(m.data, &r, sizeof(r));
    host_irq_on = false;
    svm_serve(&m);
    host_irq_on = true;
}

static u16 word_of(unsigned core) { return (u16)svm_shared()->epoch[core].word; }

/* What another member's signal of a barrier is, which is `ahead` of this one's last. */
static u32 signal_of_others(s16 ahead)
{
    u16 epoch = (u16)(word_of(ME) + (word_of(ME) & 1));
    return (u32)epoch << 16 | (u16)(signals_counted(OTHER, epoch) + ahead);
}

/* Every member wants to meet if this one does, and has come to every barrier. */
static void others_arrive(void)
{
    for (unsigned core = OTHER; core <= THIRD && word_of(ME) & 1; core += THIRD - OTHER)
        svm_shared()->epoch[core].word = word_of(ME);
    signals_set(ME, signal_of_others(1000));
}

static void others_call(u32 bytes, u32 model, u32 address)
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

static char *allocate(unsigned pages, enum svm_model model)
{
    others_call(pages * PAGE_SIZE, model, 0);
    char *at = svm_alloc(pages * PAGE_SIZE, model);
    assert_non_null(at);
    return at;
}

static void allocate_all(void)
{
    others_arrive();
    strong = allocate(PAGES, SVM_STRONG);
    lazy = allocate(2, SVM_LAZY);
    frozen = allocate(2, SVM_READ_ONLY);
    once = allocate(3, SVM_ONCE);
    twins = allocate(2, SVM_TWINS);
}

static int group_setup(void **state)
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
static int setup(void **state)
{
    kernels_run();
    others_arrive();
    svm_shared()->beat[OTHER].word = svm_shared()->beat[THIRD].word = 1;
    svm_come();
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

static void each_member_owns_its_part_first(void **state)
{
    assert_ptr_equal(strong, SVM_BASE);
    assert_ptr_equal(lazy, strong + PAGES * PAGE_SIZE);
    char *more = allocate(6, SVM_STRONG);
    unsigned first = page_of((uintptr_t)more);
    for (unsigned page = first; page < first + 6; page++) {
        assert_int_equal(svm_owner(*owner_of(page)), page < first + 2 ? ME : -1u);
        assert_int_equal(shown[page], page < first + 2 ? 2 : 0);
    }
}

static void the_owner_hides_a_page_before_it_says_whose_it_is(void **state)
{
    u32 word = *owner_of(0);
    ask_as(OTHER, SVM_WANT, 0, word);
    assert_int_equal(shown[0], 0);
    assert_int_equal(word_when_hidden, word);
    assert_int_equal(svm_owner(*owner_of(0)), OTHER);
    assert_int_not_equal(*owner_of(0) & ~OWNER_CORE, word & ~OWNER_CORE);
    assert_int_equal(svm_count.given, 1);
    ask_as(THIRD, SVM_WANT, 0, word); /* too late: it asks the other one */
    assert_int_equal(svm_owner(*owner_of(0)), OTHER);
    assert_int_equal(svm_count.late, 1);
}

static void wrong_requests_are_dropped_and_counted(void **state)
{
    u32 word = *owner_of(0);
    static const struct {
        unsigned from, ask;
        u32 page;
    } wrong[] = { { ME, SVM_WANT, 0 },           { QUIET, SVM_WANT, 0 },     { OTHER, SVM_WANT, SVM_PAGES },
                  { OTHER, SVM_WANT, ~0u },      { OTHER, SVM_WANT, PAGES }, { OTHER, 4, 0 },
                  { OTHER, SVM_WANT, 1u << 31 }, { OTHER, SVM_READ, 0 } };
    for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++) {
        ask_as(wrong[i].from, wrong[i].ask, wrong[i].page, word);
        assert_int_equal(svm_count.refused, i + 1);
    }
    struct mail m = { .from = OTHER, .bytes = 4 };
    svm_serve(&m);
    assert_int_equal(svm_count.refused, ARRAY_SIZE(wrong) + 1);
    ask_as(OTHER, SVM_WANT, 3, *owner_of(3)); /* its own page */
    ask_as(OTHER, SVM_WANT, 0, word + OWNER_STEP);
    assert_int_equal(svm_count.late, 2);
    assert_int_equal(svm_count.given, 0);
    assert_int_equal(*owner_of(0), word);
    assert_int_equal(shown[0], 2);
}

static void the_other_gives(void)
{
    *owner_of(sent.last.page) = svm_owned_by(sent.last.word, ME);
    meanwhile = NULL;
}

static void a_fault_asks_the_owner_and_takes_the_page(void **state)
{
    block_limit = 1;
    meanwhile = the_other_gives;
    u32 word = *owner_of(3);
    assert_true(svm_fault((uintptr_t)strong + 3 * PAGE_SIZE + 8, false));
    assert_int_equal(sent.n, 1);
    assert_int_equal(sent.to, OTHER);
    assert_int_equal(sent.last.ask, SVM_WANT);
    assert_int_equal(sent.last.page, 3);
    assert_int_equal(sent.last.word, word);
    assert_int_equal(shown[3], 2);
    assert_int_equal(host_invalidates, 1);
    assert_int_equal(svm_count.taken, 1);
    assert_int_equal(svm_count.faults, 1);
}

static void the_page_goes_on(void)
{
    *owner_of(3) = svm_owned_by(*owner_of(3), THIRD);
    meanwhile = the_other_gives;
}

static void a_fault_follows_a_page_that_went_on(void **state)
{
    block_limit = 2;
    meanwhile = the_page_goes_on;
    assert_true(svm_fault((uintptr_t)strong + 3 * PAGE_SIZE, true));
    assert_int_equal(sent.n, 2);
    assert_int_equal(sent.to, THIRD);
    assert_int_equal(svm_owner(sent.last.word), THIRD);
    assert_int_equal(svm_count.taken, 1);
}

/* Until the thread that waits has the page and HOLD_NS beyond: then who asked meanwhile gets it. */
static void given_and_asked_for_at_once(void)
{
    the_other_gives();
    ask_as(THIRD, SVM_WANT, 3, *owner_of(3));
    assert_int_equal(svm_owner(*owner_of(3)), ME);
}

static void a_page_stays_until_its_access_was_made(void **state)
{
    block_limit = 1;
    meanwhile = given_and_asked_for_at_once;
    assert_true(svm_fault((uintptr_t)strong + 3 * PAGE_SIZE, true));
    assert_int_equal(shown[3], 2);
    ask_as(OTHER, SVM_WANT, 3, *owner_of(3));
    assert_int_equal(shown[3], 2);
    assert_int_equal(svm_count.held, 2);
    assert_true(timer->armed);
    assert_in_range(timer->deadline, host_now, host_now + 1000000);
    host_now = timer->deadline;
    timer->fn(timer->arg);
    assert_int_equal(shown[3], 0);
    assert_int_equal(svm_count.given, 1);
    assert_int_equal(svm_owner(*owner_of(3)), OTHER); /* the lower number; the third's is late now */
    assert_int_equal(svm_count.late, 1);
}

static void a_dead_owner_is_an_error(void **state)
{
    svm_shared()->beat[OTHER].word = 1;
    block_limit = 6000;
    assert_false(svm_fault((uintptr_t)strong + 3 * PAGE_SIZE, true));
    assert_in_range(blocks, 1000, 6000);
    assert_int_equal(shown[3], 0);
    assert_int_equal(svm_count.faults, 0);
    assert_int_equal(svm_shared()->beat[ME].word, SVM_GONE);
    sent.answer = -EAGAIN; /* it did not even take the last request */
    blocks = 0;
    assert_false(svm_fault((uintptr_t)strong + 3 * PAGE_SIZE, true));
    sent.answer = -ENODEV;
    blocks = 0;
    assert_false(svm_fault((uintptr_t)strong + 3 * PAGE_SIZE, true));
    assert_int_equal(blocks, 0);
}

static void a_request_for_what_was_awaited_in_vain_is_served(void **state)
{
    block_limit = 10;
    thread.stop = true;
    assert_false(svm_fault((uintptr_t)strong + 3 * PAGE_SIZE, true));
    thread.stop = false;
    *owner_of(3) = svm_owned_by(*owner_of(3), ME);
    ask_as(THIRD, SVM_WANT, 3, *owner_of(3));
    assert_int_equal(svm_owner(*owner_of(3)), THIRD); /* no longer awaited */
}

static void a_page_that_nobody_can_own_is_an_error(void **state)
{
    static const u32 words[] = { 0, 0x100, 0xff, SCC_CORES + 1, ~0u, 0x5500 + QUIET + 1 };
    for (unsigned i = 0; i < ARRAY_SIZE(words); i++) {
        *owner_of(3) = words[i];
        assert_false(svm_fault((uintptr_t)strong + 3 * PAGE_SIZE, true));
        assert_int_equal(sent.n, 0);
    }
}

static void each_model_shows_what_it_may(void **state)
{
    assert_true(svm_fault((uintptr_t)lazy, false));
    assert_int_equal(shown[page_of((uintptr_t)lazy)], 2);
    assert_true(svm_fault((uintptr_t)frozen, false));
    assert_int_equal(shown[page_of((uintptr_t)frozen)], 1);
    assert_false(svm_fault((uintptr_t)frozen, true));
    assert_false(svm_fault(SVM_BASE + SVM_SIZE - 1, false)); /* never allocated */
    assert_false(svm_fault(SVM_BASE + SVM_SIZE, false));
    assert_false(svm_fault(SVM_BASE - 1, true));
    assert_false(svm_fault(0, true));
}

static void a_region_changes_its_model(void **state)
{
    others_call(0, SVM_READ_ONLY, (u32)(uintptr_t)lazy);
    assert_int_equal(svm_change(lazy, SVM_READ_ONLY), 0);
    assert_int_equal(shown[page_of((uintptr_t)lazy)], 0);
    others_call(0, SVM_LAZY, (u32)(uintptr_t)lazy);
    assert_int_equal(svm_change(lazy, SVM_LAZY), 0);
    assert_true(svm_fault((uintptr_t)lazy, true));
    others_call(0, SVM_LAZY, (u32)(uintptr_t)lazy + 1);
    assert_int_equal(svm_change(lazy + 1, SVM_LAZY), -EINVAL);
    others_call(0, SVM_MODELS, (u32)(uintptr_t)lazy);
    assert_int_equal(svm_change(lazy, SVM_MODELS), -EINVAL);
    others_call(0, SVM_READ_ONLY, (u32)(uintptr_t)lazy);
    assert_int_equal(svm_change(lazy, SVM_READ_ONLY), 0);
    assert_false(svm_fault((uintptr_t)lazy, true));
}

/* Read-only for a while: no page moves, whoever reads it, and what others read is unmapped before anybody writes. */
static void a_page_keeps_its_owner_while_all_read_it(void **state)
{
    u32 words[PAGES];
    *owner_of(1) = 0; /* nobody's */
    memcpy(words, owner_of(0), sizeof(words));
    assert_true(svm_fault((uintptr_t)strong, true));
    others_call(0, SVM_READ_ONLY, (u32)(uintptr_t)strong);
    assert_int_equal(svm_change(strong, SVM_READ_ONLY), 0);
    assert_int_equal(shown[0], 1);
    assert_true(svm_fault((uintptr_t)strong + 3 * PAGE_SIZE, false));
    assert_int_equal(shown[3], 1);
    assert_int_equal(sent.n, 0);
    ask_as(OTHER, SVM_WANT, 0, words[0]);
    assert_int_equal(svm_count.refused, 1);
    assert_memory_equal(owner_of(0), words, sizeof(words));
    others_call(0, SVM_STRONG, (u32)(uintptr_t)strong);
    assert_int_equal(svm_change(strong, SVM_STRONG), 0);
    assert_int_equal(shown[0], 2);
    assert_int_equal(shown[3], 0);
    assert_int_equal(svm_owner(*owner_of(1)), ME); /* in its part */
    words[1] = *owner_of(1);
    assert_memory_equal(owner_of(0), words, sizeof(words));
    assert_int_equal(svm_next_shown(0), 0);
    assert_int_equal(svm_next_shown(SVM_PAGES - 1), SVM_PAGES);
    assert_int_equal(svm_next_shown(SVM_PAGES), SVM_PAGES);
}

static void members_must_agree(void **state)
{
    others_call(PAGE_SIZE, SVM_LAZY, 0);
    assert_null(svm_alloc(2 * PAGE_SIZE, SVM_LAZY));
    assert_null(svm_alloc(PAGE_SIZE, SVM_STRONG));
    svm_shared()->call[OTHER].address = 1;
    assert_null(svm_alloc(PAGE_SIZE, SVM_LAZY));
    others_call((u32)SVM_SIZE, SVM_LAZY, 0);
    assert_null(svm_alloc(SVM_SIZE, SVM_LAZY)); /* all agree, but there are not so many pages left */
    others_call(0, SVM_LAZY, 0);
    assert_null(svm_alloc(0, SVM_LAZY));
    others_call(PAGE_SIZE, SVM_MODELS, 0);
    assert_null(svm_alloc(PAGE_SIZE, SVM_MODELS));
}

static void nobody_arrives(void) { signals_set(ME, 0); }

static bool has_left(void) { return svm_shared()->epoch[ME].word & 1; }

/* This member alone reads other arguments, or another member alone does: the members cannot go on together. */
static void a_call_that_fails_at_some_members_only_is_the_end_for_all(void **state)
{
    others_call(0, SVM_LAZY, (u32)(uintptr_t)lazy);
    svm_shared()->call[THIRD].bytes = 77;
    ended[OTHER] = ended[THIRD] = SVM_DONE;
    assert_int_equal(svm_change(lazy, SVM_LAZY), -EPIPE);
    assert_true(has_left());
    u16 word = word_of(ME);
    svm_shared()->epoch[ME].word = 6; /* rubbish */
    ask_as(OTHER, SVM_PING, 0, 0);
    assert_int_equal(word_of(ME), word);
}

static void a_call_that_fails_at_all_members_is_an_error(void **state)
{
    others_call(0, SVM_LAZY, (u32)(uintptr_t)lazy);
    svm_shared()->call[THIRD].bytes = 77;
    ended[OTHER] = ended[THIRD] = SVM_FAILED;
    assert_int_equal(svm_change(lazy, SVM_LAZY), -EINVAL);
    assert_false(has_left());
    others_call(0, SVM_LAZY, (u32)(uintptr_t)lazy);
    ended[OTHER] = SVM_DONE;
    assert_int_equal(svm_change(lazy, SVM_LAZY), -EPIPE);
    assert_true(has_left());
}

/* In the middle of an epoch: regions and locks are lost, and what was signalled before is nobody's. */
static void after_a_failure_the_members_meet_anew(void **state)
{
    assert_int_equal(svm_lock(5), 0);
    u32 old = signal_of_others(1000);
    u16 word = word_of(ME);
    svm_shared()->epoch[OTHER].word = svm_shared()->epoch[THIRD].word = word;
    nobody_arrives();
    svm_shared()->epoch[THIRD].word = word + 1u; /* it has failed */
    block_limit = 1;
    assert_int_equal(svm_barrier(), -ETIMEDOUT); /* at once */
    assert_int_equal(word_of(ME), word + 1);
    assert_int_equal(svm_unlock(5), -EPERM);
    assert_int_equal(svm_lock(5), -EPIPE);
    signals_set(ME, old);
    blocks = 0;
    block_limit = 6000;
    assert_int_equal(svm_barrier(), -ETIMEDOUT); /* the other one is still in the old epoch, and is dead */
    svm_shared()->epoch[OTHER].word = svm_shared()->epoch[THIRD].word = word_of(ME);
    svm_shared()->beat[OTHER].word = svm_shared()->beat[THIRD].word = 1;
    blocks = 0;
    assert_int_equal(svm_barrier(), -ETIMEDOUT); /* they meet, and signal nothing */
    others_arrive();
    assert_int_equal(svm_barrier(), 0);
    assert_int_equal(svm_shared()->lock[ME][5].taken | svm_shared()->lock[ME][5].holder, 0);
    assert_int_equal(svm_lock(5), 0);
    assert_int_equal(svm_unlock(5), 0);
    assert_false(svm_fault((uintptr_t)lazy, false));
    others_arrive();
    assert_int_equal(svm_barrier(), 0);
    assert_ptr_equal(allocate(1, SVM_LAZY), SVM_BASE);
    svm_leave(); /* the next test gets its regions again */
}

/* Core 7's next kernel has said no number yet, then says it. */
static void its_next_kernel_says_its_number(void)
{
    if (blocks == 3)
        svm_shared()->epoch[OTHER].kernel = scc_shared()->up[OTHER] = 77;
}

/* Who has ended before they met is nobody's loss; who ends after it is one at once, whether it signals or not. */
static void a_members_kernel_is_the_one_that_it_said_when_they_met(void **state)
{
    svm_leave();
    others_arrive();
    svm_shared()->epoch[OTHER].kernel = 0;
    block_limit = 10;
    meanwhile = its_next_kernel_says_its_number;
    assert_int_equal(svm_barrier(), 0);
    assert_int_equal(svm_kernel_of(OTHER), 77);
    assert_int_equal(svm_kernel_of(THIRD), THIRD + 1);
    assert_int_equal(svm_kernel_of(QUIET), 0);
    assert_int_equal(svm_barrier(), 0);
    scc_shared()->up[THIRD] += SCC_FOUND_DEAD; /* which signals to this one */
    nobody_arrives();
    blocks = 0;
    block_limit = 1;
    assert_int_equal(svm_barrier(), -ETIMEDOUT);
    assert_int_equal(svm_kernel_of(OTHER), 77); /* as long as they do not meet anew */
}

static void it_says_what_this_one_says(void)
{
    if (blocks > 3)
        others_arrive();
}

/* And what it had is still there. */
static void who_has_ended_is_not_met(void **state)
{
    svm_leave();
    others_arrive();
    svm_shared()->beat[THIRD].word = SVM_GONE;
    assert_int_equal(svm_barrier(), -ETIMEDOUT);
    assert_int_equal(word_of(ME) % 2, 1);
    assert_true(svm_fault((uintptr_t)lazy, false));
    svm_shared()->beat[THIRD].word = 1;
}

/* Who wants to meet follows whoever is ahead, and nobody into an epoch in which that one is already. */
static void who_is_ahead_is_followed(void **state)
{
    svm_leave();
    u16 word = word_of(ME);
    svm_shared()->epoch[OTHER].word = word + 7u; /* in an epoch of others */
    svm_shared()->epoch[THIRD].word = word;
    block_limit = 20;
    meanwhile = it_says_what_this_one_says;
    nobody_arrives();
    assert_int_equal(svm_barrier(), 0);
    assert_int_equal(word_of(ME), word + 9);
    svm_leave();
    word = word_of(ME);
    svm_shared()->epoch[OTHER].word = word + 1u; /* has met this one, before this one has found out */
    svm_shared()->epoch[THIRD].word = word;
    signals_set(ME, signal_of_others(1000));
    assert_int_equal(svm_barrier(), 0);
    assert_int_equal(word_of(ME), word + 1);
}

/* Written by its owner until another core reads it; then by nobody. */
static void a_page_is_written_until_it_is_read(void **state)
{
    unsigned page = page_of((uintptr_t)once);
    *owner_of(page) = svm_owned_by(0, ME);
    assert_true(svm_fault((uintptr_t)once, true));
    assert_int_equal(shown[page], 2);
    host_now += 1000000;
    u32 word = *owner_of(page);
    ask_as(OTHER, SVM_READ, page, word);
    assert_int_equal(shown[page], 1); /* before the word says so */
    assert_int_equal(word_when_shown, word);
    assert_int_equal(svm_owner(*owner_of(page)), OWNER_ALL);
    word = *owner_of(page);
    ask_as(THIRD, SVM_WANT, page, word); /* nobody has it any more */
    ask_as(THIRD, SVM_READ, page, word);
    assert_int_equal(*owner_of(page), word);
    assert_int_equal(svm_count.late, 2);
    assert_true(svm_fault((uintptr_t)once, false));
    assert_int_equal(shown[page], 1);
    assert_false(svm_fault((uintptr_t)once, true));
    assert_int_equal(sent.n, 0);
}

static void the_other_publishes(void)
{
    *owner_of(sent.last.page) = svm_owned_by(sent.last.word, OWNER_ALL);
    meanwhile = NULL;
}

static void a_read_of_a_page_written_once_ends_its_writing(void **state)
{
    unsigned page = page_of((uintptr_t)once) + 1;
    *owner_of(page) = svm_owned_by(0, OTHER);
    block_limit = 1;
    meanwhile = the_other_publishes;
    assert_true(svm_fault((uintptr_t)once + PAGE_SIZE, false));
    assert_int_equal(sent.last.ask, SVM_READ);
    assert_int_equal(shown[page], 1);
    assert_int_equal(host_invalidates, 1);
}

static void a_write_of_a_page_that_nobody_has_read_moves_it(void **state)
{
    unsigned page = page_of((uintptr_t)once) + 1;
    *owner_of(page) = svm_owned_by(0, OTHER);
    block_limit = 1;
    meanwhile = the_other_gives;
    assert_true(svm_fault((uintptr_t)once + PAGE_SIZE, true));
    assert_int_equal(sent.last.ask, SVM_WANT);
    assert_int_equal(shown[page], 2);
    host_now += 1000000;
    ask_as(THIRD, SVM_WANT, page, *owner_of(page));
    assert_int_equal(shown[page], 0);
    assert_int_equal(svm_owner(*owner_of(page)), THIRD);
}

static u8 *home(const char *at) { return (u8 *)(SCC_SVM_PAGES + ((uintptr_t)at - SVM_BASE)); }

static void a_release_stores_the_bytes_that_differ(void **state)
{
    unsigned page = page_of((uintptr_t)twins);
    memset(home(twins), 7, PAGE_SIZE);
    assert_true(svm_fault((uintptr_t)twins, false));
    assert_true(shown_copy[page]);
    assert_int_equal(shown[page], 1);
    assert_int_equal(twins[5], 7);
    assert_true(svm_fault((uintptr_t)twins, true));
    assert_int_equal(shown[page], 2);
    twins[4] = 1;
    twins[9] = 2;
    twins[10] = 7;                        /* as it was */
    home(twins)[5] = home(twins)[10] = 8; /* another core's, meanwhile */
    svm_release();
    assert_memory_equal(home(twins) + 4, "\1\10\7\7\7\2\10\7", 8);
    assert_int_equal(svm_count.merged, 2);
    assert_int_equal(svm_count.copied, 1);
    assert_true(shown_copy[page]);
    assert_int_equal(shown[page], 1); /* the next store makes a twin again */
    assert_int_equal(twins[5], 7);    /* not acquired */
    svm_release();
    assert_int_equal(svm_count.merged, 2);
}

static void an_acquire_forgets_copies_and_loses_no_store(void **state)
{
    svm_acquire();
    assert_true(svm_fault((uintptr_t)twins + PAGE_SIZE, true)); /* the first access is a store */
    twins[PAGE_SIZE] = 3;
    home(twins)[PAGE_SIZE + 1] = 4;
    host_invalidates = 0;
    svm_acquire();
    assert_int_equal(host_invalidates, 1);
    assert_int_equal(invalidates_when_hidden, 1); /* a copy that is made next has nothing of before */
    assert_int_equal(home(twins)[PAGE_SIZE], 3);
    assert_int_equal(shown[page_of((uintptr_t)twins) + 1], 0);
    assert_true(svm_fault((uintptr_t)twins + PAGE_SIZE, false));
    assert_memory_equal(twins + PAGE_SIZE, "\3\4", 2);
    svm_acquire();
}

static void a_region_can_change_to_copies_and_back(void **state)
{
    others_call(0, SVM_TWINS, (u32)(uintptr_t)frozen);
    assert_int_equal(svm_change(frozen, SVM_TWINS), 0);
    assert_true(svm_fault((uintptr_t)frozen, true));
    assert_true(shown_copy[page_of((uintptr_t)frozen)]);
    frozen[3] = 9;
    others_call(0, SVM_READ_ONLY, (u32)(uintptr_t)frozen);
    assert_int_equal(svm_change(frozen, SVM_READ_ONLY), 0);
    assert_true(svm_fault((uintptr_t)frozen, false));
    assert_false(shown_copy[page_of((uintptr_t)frozen)]);
    assert_int_equal(frozen[3], 9);
}

static void no_memory_for_copies_is_every_members_error(void **state)
{
    u64 before = freed;
    no_memory = true;
    others_call(PAGE_SIZE, SVM_TWINS, 0);
    assert_null(svm_alloc(PAGE_SIZE, SVM_TWINS));
    assert_int_equal(svm_shared()->call[ME].bytes, 0); /* unlike what the others say, so they fail, too */
    others_call(0, SVM_TWINS, (u32)(uintptr_t)lazy);
    assert_int_equal(svm_change(lazy, SVM_TWINS), -ENOMEM);
    assert_int_equal(svm_shared()->call[ME].model, SVM_MODELS);
    no_memory = false;
    others_call(PAGE_SIZE, SVM_LAZY, 0);
    assert_null(svm_alloc(PAGE_SIZE, SVM_TWINS)); /* they want something else */
    assert_int_equal(freed, before + 2);
}

static void a_strong_page_is_never_everybodys(void **state)
{
    *owner_of(3) = svm_owned_by(*owner_of(3), OWNER_ALL);
    assert_false(svm_fault((uintptr_t)strong + 3 * PAGE_SIZE, false));
    assert_int_equal(shown[3], 0);
}

static void lives_for_long(void)
{
    if (blocks < 20000)
        svm_shared()->beat[sent.to].word++;
    else
        others_arrive();
}

static void a_barrier_waits_for_the_slow_and_not_for_the_dead(void **state)
{
    svm_shared()->beat[OTHER].word = svm_shared()->beat[THIRD].word = 1;
    nobody_arrives();
    block_limit = 6000;
    assert_int_equal(svm_barrier(), -ETIMEDOUT);
    assert_int_equal(sent.last.ask, SVM_PING);
    blocks = 0;
    block_limit = 21000;
    meanwhile = lives_for_long;
    nobody_arrives();
    assert_int_equal(svm_barrier(), 0);
    svm_shared()->beat[OTHER].word = svm_shared()->beat[THIRD].word = SVM_GONE;
    blocks = 0;
    block_limit = 1;
    meanwhile = NULL;
    nobody_arrives();
    assert_int_equal(svm_barrier(), -ETIMEDOUT); /* at once */
    nobody_arrives();
    svm_shared()->beat[OTHER].word = svm_shared()->beat[THIRD].word = 1;
    thread.stop = true;
    assert_int_equal(svm_barrier(), -ECANCELED);
}

/* A signal that was overwritten comes again, also that of the barrier before, which a slower member may wait for.
 * Members 2, 7 and 9: in round 0 to the next one, in round 1 to the one behind it. */
static void who_is_asked_for_a_sign_of_life_signals_again(void **state)
{
    assert_int_equal(svm_barrier(), 0);
    assert_int_equal(svm_barrier(), 0);
    u32 value[2];
    for (unsigned turn = 0; turn < 2; turn++) {
        struct svm_word(*arrived)[SCC_CORES] = svm_shared()->arrived[turn];
        value[turn] = arrived[0][OTHER].word;
        assert_int_equal(arrived[1][THIRD].word, value[turn]);
        arrived[0][OTHER].word = arrived[1][THIRD].word = 0;
        arrived[1][OTHER].word = 5;
    }
    assert_int_equal(abs((int)(value[1] - value[0])), 1);
    ask_as(OTHER, SVM_PING, 0, 0);
    for (unsigned turn = 0; turn < 2; turn++) {
        struct svm_word(*arrived)[SCC_CORES] = svm_shared()->arrived[turn];
        assert_int_equal(arrived[0][OTHER].word, value[turn]);
        assert_int_equal(arrived[1][THIRD].word, value[turn]);
        assert_int_equal(arrived[1][OTHER].word, 5); /* another member's */
    }
}

static void a_lock_has_one_holder(void **state)
{
    struct svm_lock *l = &svm_shared()->lock[ME][5];
    assert_int_equal(svm_lock(SVM_LOCKS), -EINVAL);
    assert_int_equal(svm_unlock(SVM_LOCKS), -EINVAL);
    assert_int_equal(svm_unlock(5), -EPERM);
    assert_int_equal(svm_lock(5), 0);
    assert_int_equal(l->holder, ME + 1);
    assert_int_equal(svm_lock(5), -EBUSY);
    assert_int_equal(svm_unlock(5), 0);
    *l = (struct svm_lock){ .taken = 1, .holder = OTHER + 1 };
    svm_shared()->beat[OTHER].word = 1;
    block_limit = 6000;
    assert_int_equal(svm_lock(5), -ETIMEDOUT);
    assert_int_equal(svm_unlock(5), -EPERM);
    l->holder = SCC_CORES + 1;
    assert_int_equal(svm_lock(5), -EINVAL);
    l->holder = 0; /* nobody says that it holds it */
    blocks = 0;
    svm_shared()->beat[ME].word = 1;
    assert_int_equal(svm_lock(5), -ETIMEDOUT);
    *l = (struct svm_lock){ 0 };
}

/* After 2^15 failed meetings the members are in an epoch of the same number, where nobody has signalled yet. */
static void no_signal_outlives_its_epoch(void **state)
{
    assert_int_equal(svm_barrier(), 0);
    u16 epoch = word_of(ME);
    u32 *own = &svm_shared()->arrived[0][0][OTHER].word;
    for (unsigned i = 0; i < 1u << 15; i++)
        svm_leave();
    *own = 0;
    ask_as(OTHER, SVM_PING, 0, 0);
    assert_int_equal(*own, 0); /* nor its own, which it has sent */
    svm_shared()->epoch[OTHER].word = svm_shared()->epoch[THIRD].word = word_of(ME);
    block_limit = 6000;
    assert_int_equal(svm_barrier(), -ETIMEDOUT);
    assert_int_equal(word_of(ME), (u16)(epoch + 1));
}

static struct svm_lock *lock_5(void) { return &svm_shared()->lock[ME][5]; }

/* Another thread of this core fails in a call of all; then the holder gives the lock back. */
static void this_core_leaves(void)
{
    svm_leave();
    *lock_5() = (struct svm_lock){ 0 };
}

/* The same, and all have met anew: others have the lock then. */
static void this_core_meets_anew(void)
{
    meanwhile = NULL;
    this_core_leaves();
    others_arrive();
    assert_int_equal(svm_barrier(), 0);
}

static void nobody_takes_or_gives_a_lock_of_an_epoch_that_it_has_left(void **state)
{
    static void (*const leaves[])(void) = { this_core_leaves, this_core_meets_anew };
    for (unsigned i = 0; i < 2; i++) {
        others_arrive();
        assert_int_equal(svm_barrier(), 0);
        *lock_5() = (struct svm_lock){ .taken = 1, .holder = OTHER + 1 };
        svm_shared()->beat[OTHER].word = 1;
        meanwhile = leaves[i];
        blocks = 0;
        block_limit = 2;
        assert_int_equal(svm_lock(5), -EPIPE);
        assert_int_equal(lock_5()->taken | lock_5()->holder, 0);
        assert_int_equal(svm_unlock(5), -EPERM);
    }
    assert_int_equal(svm_lock(5), 0);
    assert_int_equal(svm_unlock(5), 0);
    svm_leave();
}

static void lives_and_does_not_hold(void)
{
    if (sent.last.ask == SVM_PING)
        svm_shared()->lock[ME][5].beat++;
    svm_shared()->beat[OTHER].word++;
}

static void holds_for_long(void)
{
    assert_int_equal(sent.last.ask, SVM_HOLD);
    assert_int_equal(sent.last.page, 5);
    svm_shared()->lock[ME][5].beat++;
    if (blocks == 20000)
        svm_shared()->lock[ME][5] = (struct svm_lock){ 0 };
}

/* The word that names the holder may have been overwritten: with the name of a core that lives, or here. */
static void a_lock_waits_for_who_holds_it_and_not_for_who_lives(void **state)
{
    struct svm_lock *l = &svm_shared()->lock[ME][5];
    *l = (struct svm_lock){ .taken = 1, .holder = OTHER + 1 };
    svm_shared()->beat[OTHER].word = 1;
    block_limit = 6000;
    meanwhile = lives_and_does_not_hold;
    assert_int_equal(svm_lock(5), -ETIMEDOUT);
    blocks = 0;
    block_limit = 21000;
    meanwhile = holds_for_long;
    assert_int_equal(svm_lock(5), 0);
    assert_int_equal(blocks, 20000);
    u32 beat = l->beat;
    l->holder = THIRD + 1;
    ask_as(OTHER, SVM_HOLD, 5, 0);
    assert_int_equal(l->beat, beat + 1);
    ask_as(OTHER, SVM_HOLD, 6, 0);
    assert_int_equal(svm_shared()->lock[ME][6].beat, 0);
    assert_int_equal(svm_count.refused, 0);
    ask_as(OTHER, SVM_HOLD, SVM_LOCKS, 0);
    assert_int_equal(svm_count.refused, 1);
    assert_int_equal(svm_unlock(5), 0);
    assert_int_equal(l->taken | l->holder, 0);
    ask_as(OTHER, SVM_HOLD, 5, 0);
    assert_int_equal(l->beat, beat + 1);
    assert_int_equal(svm_unlock(5), -EPERM);
}

/* Any bytes in all words that the members share, and any requests: nothing but this core's own pages is ever shown, and
 * every call ends. */
static void rubbish_does_no_harm(void **state)
{
    srandom(1);
    for (unsigned round = 0; round < 300; round++) {
        u8 *words = (u8 *)svm_shared();
        for (size_t i = 0; i < sizeof(struct svm_shared); i++)
            words[i] = (u8)(random() >> 8);
        for (unsigned i = 0; i < 50; i++) {
            u32 page = (u32)random() % (2 * PAGES), word = random() % 4 ? *owner_of(page) : (u32)random();
            if (random() % 4)
                *owner_of(page) = word = (word & ~OWNER_CORE) | (ME + 1);
            ask_as((unsigned)random() % SCC_CORES, (u32)random() % 5, random() % 8 ? page : (u32)random(), word);
        }
        blocks = 0;
        block_limit = 6000;
        unsigned page = (unsigned)random() % PAGES;
        bool served = svm_fault((uintptr_t)strong + page * PAGE_SIZE, true);
        assert_true(!served || (shown[page] == 2 && svm_owner(*owner_of(page)) == ME));
        block_limit = ~0u;
        svm_lock((unsigned)random() % SVM_LOCKS);
        svm_unlock((unsigned)random() % SVM_LOCKS);
        for (page = PAGES + 15; page < SVM_PAGES; page++)
            assert_int_equal(shown[page], 0);
    }
    memset(svm_shared(), 0, sizeof(struct svm_shared));
}

/* After 2^24 changes, some minutes: no word is 0, which says that there is no page, and none names another owner. */
static void an_owner_is_named_over_the_end_of_the_count_of_changes(void **state)
{
    for (unsigned core = 0; core < SCC_CORES; core++) {
        u32 last = 0xfffffe00u | (SCC_CORES - core);
        for (unsigned n = 0; n < 4; n++) {
            u32 word = svm_owned_by(last, core);
            assert_true(svm_owner(word) == core && (word ^ last) & ~OWNER_CORE);
            last = word;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_member_owns_its_part_first, setup),
        cmocka_unit_test(an_owner_is_named_over_the_end_of_the_count_of_changes),
        cmocka_unit_test_setup(the_owner_hides_a_page_before_it_says_whose_it_is, setup),
        cmocka_unit_test_setup(wrong_requests_are_dropped_and_counted, setup),
        cmocka_unit_test_setup(a_fault_asks_the_owner_and_takes_the_page, setup),
        cmocka_unit_test_setup(a_fault_follows_a_page_that_went_on, setup),
        cmocka_unit_test_setup(a_page_stays_until_its_access_was_made, setup),
        cmocka_unit_test_setup(a_dead_owner_is_an_error, setup),
        cmocka_unit_test_setup(a_request_for_what_was_awaited_in_vain_is_served, setup),
        cmocka_unit_test_setup(a_page_that_nobody_can_own_is_an_error, setup),
        cmocka_unit_test_setup(each_model_shows_what_it_may, setup),
        cmocka_unit_test_setup(a_region_changes_its_model, setup),
        cmocka_unit_test_setup(a_page_keeps_its_owner_while_all_read_it, setup),
        cmocka_unit_test_setup(a_page_is_written_until_it_is_read, setup),
        cmocka_unit_test_setup(a_read_of_a_page_written_once_ends_its_writing, setup),
        cmocka_unit_test_setup(a_write_of_a_page_that_nobody_has_read_moves_it, setup),
        cmocka_unit_test_setup(a_strong_page_is_never_everybodys, setup),
        cmocka_unit_test_setup(a_release_stores_the_bytes_that_differ, setup),
        cmocka_unit_test_setup(an_acquire_forgets_copies_and_loses_no_store, setup),
        cmocka_unit_test_setup(a_region_can_change_to_copies_and_back, setup),
        cmocka_unit_test_setup(no_memory_for_copies_is_every_members_error, setup),
        cmocka_unit_test_setup(members_must_agree, setup),
        cmocka_unit_test_setup(a_call_that_fails_at_some_members_only_is_the_end_for_all, setup),
        cmocka_unit_test_setup(a_call_that_fails_at_all_members_is_an_error, setup),
        cmocka_unit_test_setup(after_a_failure_the_members_meet_anew, setup),
        cmocka_unit_test_setup(a_members_kernel_is_the_one_that_it_said_when_they_met, setup),
        cmocka_unit_test_setup(who_has_ended_is_not_met, setup),
        cmocka_unit_test_setup(who_is_ahead_is_followed, setup),
        cmocka_unit_test_setup(a_barrier_waits_for_the_slow_and_not_for_the_dead, setup),
        cmocka_unit_test_setup(who_is_asked_for_a_sign_of_life_signals_again, setup),
        cmocka_unit_test_setup(a_lock_has_one_holder, setup),
        cmocka_unit_test_setup(a_lock_waits_for_who_holds_it_and_not_for_who_lives, setup),
        cmocka_unit_test_setup(no_signal_outlives_its_epoch, setup),
        cmocka_unit_test_setup(nobody_takes_or_gives_a_lock_of_an_epoch_that_it_has_left, setup),
        cmocka_unit_test_setup(rubbish_does_no_harm, setup),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
