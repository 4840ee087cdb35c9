/* SPDX-License-Identifier: MIT */
/*
 * The ends of tunnels at two processes: what their tables show, who waits and who is woken, what is refused; and that
 * no call which changes pages reaches there. Threads of the processes are threads of the fake machine.
 */
#include "threads.h"

#include <core/channel.h>
#include <core/init.h>
#include <core/sched.h>
#include <generated/process_calls.h>

#include "process/frames.h"
#include "process/memory.h"
#include "process/pages.h"
#include "process/part.h"
#include "process/tunnel.h"
#include "process/waiters.h"

#define PAGES (SYS_MAX_CHANNELS * MIB / PAGE_SIZE)

const struct channel_ops *channel_ops;
const struct sys_header *system_table;
struct domain domains[SYS_MAX_DOMAINS];
unsigned n_domains = 4;

static struct sys_header header;
static struct sys_channel channels[SYS_MAX_CHANNELS];
static struct sys_domain conf[4];
static struct process process[2];
static struct process_thread threads[2][4];
static u32 frames[16];
static struct process_run frames_run;
static unsigned guest_rings, held, loads;
static s64 result[4];

/* A table: what each process shows of the window, and that it may be shown. Elsewhere the first page of each GiB is
 * taken, but of the last one. */
static struct fake {
    u64 *root; /* as in struct space, where it stands for this record */
    bool table[SYS_MAX_CHANNELS];
    space_entry_t entry[PAGES], elsewhere;
} fake[2];
static struct fake *fake_of(const struct space *s) { return &fake[s == &process[1].space]; }

const struct sys_channel *sys_channel(const struct sys_header *h, unsigned i) { return &channels[i]; }

int space_map(struct space *s, u64 va, paddr_t pa, u64 size, unsigned rights)
{
    assert_true(va >= PROCESS_TUNNELS && size == PAGE_SIZE && IS_ALIGNED(va, MIB));
    fake_of(s)->table[(va - PROCESS_TUNNELS) / MIB] = true;
    return 0;
}

space_entry_t *space_walk(const struct space *s, u64 va, u64 *size)
{
    struct fake *f = fake_of(s);
    *size = PAGE_SIZE;
    if (va >= PROCESS_TUNNELS) {
        assert_true(f->table[(va - PROCESS_TUNNELS) / MIB]);
        return &f->entry[(va - PROCESS_TUNNELS) / PAGE_SIZE];
    }
    if (IS_ALIGNED(va, GIB) && va < USER_END - GIB) {
        f->elsewhere = 1;
    } else {
        f->elsewhere = 0;
        *size = GIB;
    }
    return &f->elsewhere;
}

void user_refresh(struct user *u)
{
    u->turn = 1;
    loads++;
}
void process_pager_ended(struct process_thread *t) {}
void process_signals_end(struct process_thread *t) {}
bool process_page_in(struct process_thread *t, u64 at, size_t n, unsigned access) { return false; }
static unsigned user_starts;
void user_start(struct user *u, const struct space *s, const unsigned long *turns, u64 entry, u64 stack, u64 arg,
                u64 tp)
{
    user_starts++;
}
void domain_end(struct domain *d, enum domain_end how, const char *fmt, ...) {}
void domain_hold(struct domain *d) { held++; }
void domain_release(struct domain *d) { held--; }

/* A process's memory is what its table shows. */
int user_copy_piece(struct user *u, void *to, const void *from, size_t n)
{
    struct process_thread *t = container_of(u, struct process_thread, user);
    u64 size, at = (u64)(uintptr_t)from;
    const space_entry_t *entry = space_walk(&t->process->space, at, &size);
    if (size > PAGE_SIZE || !*entry)
        return -EFAULT;
    memcpy(to, (char *)phys_to_virt(space_frame(*entry)) + at % PAGE_SIZE, n);
    return 0;
}

static void guest_doorbell(struct domain *d, unsigned n) { guest_rings++; }
static int guest_share(struct domain *d, unsigned n, paddr_t pa, u64 size, unsigned prot) { return 0; }
static const struct domain_ops vm = { .share = guest_share, .doorbell = guest_doorbell }, program = {
    .share = process_share, .doorbell = process_doorbell, .peer_ended = process_peer_ended
};

static void channel(unsigned i, u16 a, u16 b, u32 flags, u32 size)
{
    channels[i] = (struct sys_channel){ .name = "t", .domain_a = a, .domain_b = b, .flags = flags, .size = size };
    channels[i].name[1] = (char)('0' + i);
    header.n_channels = (u16)(i + 1);
}

/* Processes 0 and 1, a guest 2 and a process 3 without a record; four channels: 0 guest-guest, so that places and
 * indices differ. */
static int begin(void **state)
{
    setup(state);
    system_table = &header;
    memset(fake, 0, sizeof(fake));
    memset(process, 0, sizeof(process));
    memset(threads, 0, sizeof(threads));
    guest_rings = held = loads = 0;
    for (unsigned i = 0; i < 4; i++) {
        conf[i] = (struct sys_domain){ .kind = i == 2 ? SYS_KIND_VM : SYS_KIND_PROCESS, .name = "d" };
        domains[i] =
            (struct domain){ .id = i, .state = DOMAIN_RUNNING, .conf = &conf[i], .ops = i == 2 ? &vm : &program };
        result[i] = 1;
    }
    domains[2].impl = (void *)8; /* no process to look into */
    domains[3].ops = &vm;        /* it is not there */
    channel(0, 2, 3, 3, 4096);
    channel(1, 0, 1, SYS_CHANNEL_A_WRITES, 8192);
    channel(2, 1, 2, 3, 4096);
    channel(3, 3, 0, 3, 4096);
    for (unsigned i = 0; i < 2; i++) {
        struct process *p = &process[i];
        *p = (struct process){ .domain = &domains[i], .thread = threads[i], .map_hint = USER_BASE, .frame = frames };
        list_init(&p->waiters);
        domains[i].impl = p;
        for (unsigned t = 0; t < 4; t++)
            threads[i][t] = (struct process_thread){ .process = p, .number = (u8)t };
        assert_int_equal(process_parts(p, PROCESS_MAPS), 0);
    }
    for (const init_call *c = __initcalls_start; c < __initcalls_end; c++)
        (*c)();
    channel_ops->renew();
    for (unsigned i = 0; i < 4; i++)
        channel_ops->attach(&domains[i]);
    return 0;
}

static int end(void **state)
{
    system_table = NULL;
    channel_ops->renew();
    return 0;
}

static u64 at(unsigned channel) { return PROCESS_TUNNELS + channel * MIB; }
static space_entry_t shown(unsigned p, u64 va) { return fake[p].entry[(va - PROCESS_TUNNELS) / PAGE_SIZE]; }
static u32 *word_of(unsigned p, u64 va) { return phys_to_virt(space_frame(shown(p, va))); }

/* A thread's body: what it waits for, and what came of it. */
struct job {
    unsigned process, thread;
    s64 (*what)(struct process_thread *t);
};

static void run(void *arg)
{
    const struct job *job = arg;
    struct process_thread *t = &threads[job->process][job->thread];
    result[job->thread] = job->what(t);
}

static void do_job(const struct job *job)
{
    struct process_thread *t = &threads[job->process][job->thread];
    t->thread = thread_create("t", job->thread % 2, 8, run, (void *)job, NULL, false);
    process[job->process].n = MAX(process[job->process].n, job->thread + 1);
    thread_start(t->thread);
    host_settle();
}

static s64 wait_bell(struct process_thread *t) { return process_call_tunnel_wait(t, 0, ~0ull); }
static s64 wait_bell_soon(struct process_thread *t) { return process_call_tunnel_wait(t, 0, 5000); }
/* As a program's calls come: with interrupts off. */
static s64 do_wait(struct process_thread *t, u64 word, u32 expected, u64 deadline)
{
    unsigned long flags = irq_save();
    s64 err = process_wait(t, word, expected, deadline);
    irq_restore(flags);
    return err;
}
static s64 do_wake(struct process *p, u64 word, u64 count)
{
    unsigned long flags = irq_save();
    s64 woken = process_wake(p, word, count);
    irq_restore(flags);
    return woken;
}

static s64 wait_word(struct process_thread *t) { return do_wait(t, at(1), 0, ~0ull); }
static s64 wait_seven(struct process_thread *t) { return do_wait(t, at(1) + 8188, 7, ~0ull); }
static s64 wait_guest(struct process_thread *t) { return process_call_tunnel_wait(t, 1, ~0ull); }

static void test_both_ends_see_it_at_one_address_and_one_may_write(void **state)
{
    for (unsigned page = 0; page < 2; page++) {
        space_entry_t a = shown(0, at(1) + page * PAGE_SIZE), b = shown(1, at(1) + page * PAGE_SIZE);
        assert_true(a && space_frame(a) == space_frame(b) && !(space_rights(a) & SPACE_EXEC) &&
                    !(space_rights(b) & SPACE_EXEC));
        assert_true(a & PTE_W && !(b & PTE_W));
    }
    assert_false(shown(0, at(1) + 8192));
    assert_true(shown(1, at(2)) & PTE_W && shown(0, at(3)) & PTE_W);
    assert_false(fake[0].table[0] || fake[0].table[2] || fake[1].table[3]);
}

static void test_what_is_told_about_a_tunnel(void **state)
{
    struct process_thread *t = &threads[1][0];
    const s64 first[] = { (s64)at(1), 8192, 1, 2, 0, 1, 1 }, second[] = { (s64)at(2), 4096, 2, 3, 2, 1, 0 };
    domains[2].state = DOMAIN_STOPPED;
    for (unsigned field = 0; field <= PROCESS_CALL_TUNNEL_INFO_RUNNING; field++) {
        assert_int_equal(process_call_tunnel_info(t, 0, field), first[field]);
        assert_int_equal(process_call_tunnel_info(t, 1, field), second[field]);
        assert_int_equal(process_call_tunnel_info(t, 2, field), -ENOENT);
    }
}

static void test_a_ring_is_kept_and_rings_coalesce(void **state)
{
    struct process_thread *t = &threads[0][0];
    assert_int_equal(process_call_tunnel_notify(t, 0), 0);
    assert_int_equal(process_call_tunnel_notify(t, 0), 0);
    do_job(&(struct job){ 1, 0, wait_bell });
    assert_int_equal(result[0], 0);
    do_job(&(struct job){ 1, 1, wait_bell });
    assert_int_equal(result[1], 1);
    assert_int_equal(process_call_tunnel_notify(t, 0), 0);
    host_settle();
    assert_int_equal(result[1], 0);
    do_job(&(struct job){ 1, 2, wait_bell_soon });
    host_run(6000);
    assert_int_equal(result[2], -ETIMEDOUT);
    assert_true(list_empty(&process[1].waiters));
}

static void test_a_ring_wakes_one_thread_and_the_next_another(void **state)
{
    do_job(&(struct job){ 1, 0, wait_bell });
    do_job(&(struct job){ 1, 1, wait_bell });
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(result[i], 1);
        assert_int_equal(process_call_tunnel_notify(&threads[0][0], 0), 0);
        host_settle();
        assert_int_equal(result[i], 0);
    }
    assert_int_equal(process[1].bells, 0);
}

static void test_guests_and_processes_ring_each_other(void **state)
{
    assert_int_equal(process_call_tunnel_notify(&threads[1][0], 1), 0);
    assert_int_equal(guest_rings, 1);
    assert_int_equal(channel_ops->notify(&domains[2], 1), 0);
    assert_int_equal(process[1].bells, 1 << 2);
    assert_int_equal(process_call_tunnel_wait(&threads[1][0], 1, 0), 0);
}

static s64 call_guest(struct process_thread *t) { return process_call_tunnel_call(t, 1, 5000); }

static void test_a_call_rings_and_waits(void **state)
{
    do_job(&(struct job){ 1, 0, call_guest });
    assert_int_equal(guest_rings, 1);
    assert_int_equal(result[0], 1);
    assert_int_equal(channel_ops->notify(&domains[2], 1), 0);
    host_settle();
    assert_int_equal(result[0], 0);
    do_job(&(struct job){ 1, 1, call_guest });
    host_run(6000);
    assert_int_equal(result[1], -ETIMEDOUT);
    domains[2].state = DOMAIN_STOPPED;
    do_job(&(struct job){ 1, 2, call_guest });
    assert_int_equal(result[2], -EAGAIN);
}

static void test_what_is_not_there_is_refused(void **state)
{
    struct process_thread *t = &threads[0][0];
    assert_int_equal(process_call_tunnel_notify(t, 2), -ENOENT);
    assert_int_equal(process_call_tunnel_wait(t, 2, 0), -ENOENT);
    assert_int_equal(process_call_tunnel_call(t, 2, 0), -ENOENT);
    domains[1].state = DOMAIN_STOPPED;
    assert_int_equal(process_call_tunnel_notify(t, 0), -EAGAIN);
    assert_int_equal(process_call_tunnel_call(t, 0, 0), -EAGAIN);
    assert_int_equal(process[1].bells, 0);
}

static void test_a_word_is_waited_for_in_both_processes(void **state)
{
    *word_of(0, at(1)) = 0;
    do_job(&(struct job){ 1, 0, wait_word });
    do_job(&(struct job){ 0, 1, wait_word });
    do_job(&(struct job){ 1, 2, wait_word });
    *word_of(0, at(1)) = 1;
    assert_int_equal(do_wake(&process[0], at(1) + 4, 64), 0);
    assert_int_equal(do_wake(&process[0], at(1), 0), 0);
    assert_int_equal(do_wake(&process[0], at(1), 2), 2); /* its own first */
    host_settle();
    assert_true(result[1] == 0 && result[0] == 0 && result[2] == 1);
    assert_int_equal(do_wake(&process[0], at(1), ~0ull), 1);
    host_settle();
    assert_int_equal(result[2], 0);
    do_job(&(struct job){ 1, 3, wait_word });
    assert_int_equal(result[3], -EAGAIN);
}

static void test_a_wake_reaches_only_the_other_end(void **state)
{
    assert_int_equal(do_wake(&process[1], at(2), 1), 0);    /* a guest */
    assert_int_equal(do_wake(&process[0], at(3), 1), 0);    /* a process that could not be created */
    assert_int_equal(do_wake(&process[0], at(2), 1), 0);    /* somebody else's */
    assert_int_equal(do_wake(&process[0], USER_END, 1), 0); /* no channel's */
    assert_int_equal(do_wake(&process[0], ~3ull, 1), 0);
}

static void test_a_bell_is_no_word(void **state)
{
    do_job(&(struct job){ 1, 0, wait_bell });
    for (unsigned odd = 1; odd < 4; odd++) {
        assert_int_equal(do_wake(&process[1], at(1) + odd, 1), 0);
        assert_int_equal(do_wake(&process[0], at(1) + odd, 1), 0);
        assert_int_equal(do_wait(&threads[1][1], at(1) + odd, 0, 0), -EINVAL);
    }
    host_settle();
    assert_int_equal(result[0], 1);
}

static void test_withdrawn_it_shows_nothing_and_tells_who_waits(void **state)
{
    *word_of(0, at(1)) = word_of(0, at(1) + PAGE_SIZE)[1023] = 7;
    paddr_t memory = space_frame(shown(0, at(1)));
    do_job(&(struct job){ 1, 0, wait_bell });
    do_job(&(struct job){ 1, 1, wait_seven });
    do_job(&(struct job){ 1, 2, wait_guest });
    threads[1][0].user.turn = 1;
    assert_int_equal(channel_ops->set("t1", false), 0);
    host_settle();
    assert_true(result[0] == -EACCES && result[1] == -EACCES && result[2] == 1);
    assert_int_equal(threads[1][0].user.turn, 0); /* told to load its space anew */
    assert_false(shown(0, at(1)) || shown(1, at(1)) || shown(1, at(1) + PAGE_SIZE));
    assert_true(shown(1, at(2)));
    struct process_thread *t = &threads[1][1];
    assert_int_equal(process_call_tunnel_notify(t, 0), -EACCES);
    assert_int_equal(process_call_tunnel_wait(t, 0, 0), -EACCES);
    assert_int_equal(process_call_tunnel_call(t, 0, 0), -EACCES);
    assert_int_equal(do_wait(t, at(1), 7, 0), -EFAULT);
    list_push_back(&process[0].waiters, &threads[0][0].link); /* as if one waited there */
    threads[0][0].word = at(1);
    assert_int_equal(do_wake(&process[1], at(1), 1), 0);
    assert_int_equal(channel_ops->set("t1", true), 0);
    assert_true(space_frame(shown(1, at(1))) == memory && !(shown(1, at(1)) & PTE_W) && *word_of(1, at(1)) == 7);
    assert_int_equal(held, 0);
}

static void test_who_waits_is_told_that_the_peer_has_ended(void **state)
{
    *word_of(0, at(1)) = 0;
    do_job(&(struct job){ 1, 0, wait_bell });
    do_job(&(struct job){ 1, 1, wait_word });
    do_job(&(struct job){ 1, 2, wait_guest });
    channel_ops->ended(&domains[0]);
    host_settle();
    assert_true(result[0] == -EPIPE && result[1] == -EPIPE && result[2] == 1);
    assert_int_equal(threads[1][0].lost | threads[1][1].lost, 0);
    do_job(&(struct job){ 1, 3, wait_bell_soon }); /* told already by being woken: so the next wait waits */
    host_run(6000);
    assert_int_equal(result[3], -ETIMEDOUT);
    guest_rings = 0;
    channel_ops->ended(&domains[1]);
    assert_int_equal(guest_rings, 1);
    domains[1].state = DOMAIN_STOPPED;
    channel_ops->ended(&domains[0]);
    assert_int_equal(threads[1][0].lost, 0);
}

static void test_who_does_not_wait_is_told_by_the_next_wait(void **state)
{
    struct process_thread *t = threads[1];
    process[1].n = 4;
    *word_of(0, at(1)) = 0;
    assert_int_equal(process_call_tunnel_notify(&threads[0][0], 0), 0);
    channel_ops->ended(&domains[0]);
    assert_int_equal(process_call_tunnel_wait(&t[0], 0, 0), 0); /* the ring that came before */
    assert_int_equal(process_call_tunnel_wait(&t[0], 0, 0), -EPIPE);
    assert_int_equal(do_wait(&t[1], at(1), 1, 0), -EAGAIN); /* the word has changed: that is told first */
    assert_int_equal(do_wait(&t[1], at(1), 0, 0), -EPIPE);
    assert_int_equal(process_call_tunnel_call(&t[2], 0, 0), -EPIPE);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(t[i].lost, 0);
    user_starts = 0;
    struct thread idle = { 0 };
    t[0].thread = &idle;
    process[1].first = t;
    t[3].cores = 1;
    assert_int_equal(process_thread_start(&t[3], 0, 0, 0, 0), 0); /* the first one that is free */
    assert_true(user_starts == 1 && t[0].lost == 1 << 1);
}

static void test_a_thread_starts_in_the_first_place_that_is_free(void **state)
{
    struct process_thread *t = threads[1];
    struct thread idle = { 0 };
    process[1].n = process[1].alive = 4;
    process[1].first = t;
    for (unsigned i = 0; i < 4; i++) {
        t[i].thread = &idle;
        t[i].state = PROCESS_FREE;
        t[i].core = (u8)i;
    }
    t[3].cores = 1 << 2;
    assert_int_equal(process_thread_start(&t[3], 0, 0, 0, 0), t[2].number);
    t[3].cores = ~0u;
    assert_int_equal(process_thread_start(&t[3], 0, 0, 0, 0), t[0].number);
    assert_int_equal(process_thread_start(&t[3], 0, 0, 0, 0), t[1].number);
    assert_int_equal(process_thread_start(&t[3], 0, 0, 0, 0), t[3].number);
    assert_int_equal(process_thread_start(&t[3], 0, 0, 0, 0), -EAGAIN);
    process_thread_end(&t[2]);
    process_thread_end(&t[1]);
    t[3].cores = ~0u;
    assert_int_equal(process_thread_start(&t[3], 0, 0, 0, 0), t[1].number);
    assert_int_equal(process_thread_start(&t[3], 0, 0, 0, 0), t[2].number);
}

static void test_no_call_changes_pages_of_the_window(void **state)
{
    assert_int_equal(process_check_pages(PROCESS_PARTS - PAGE_SIZE, PAGE_SIZE), 0);
    assert_int_equal(process_check_pages(USER_BASE, PROCESS_PARTS - USER_BASE), 0);
    assert_int_equal(process_check_pages(PROCESS_PARTS, PAGE_SIZE), -EFAULT);
    assert_int_equal(process_check_pages(PROCESS_PARTS - PAGE_SIZE, 2 * PAGE_SIZE), -EFAULT);
    assert_int_equal(process_check_pages(USER_BASE, USER_END - USER_BASE), -EFAULT);
    assert_int_equal(process_check_pages(USER_END, PAGE_SIZE), -EFAULT);
    assert_int_equal(process_check_pages(USER_BASE - PAGE_SIZE, PAGE_SIZE), -EFAULT);
    assert_int_equal(process_check_pages(USER_BASE, -PAGE_SIZE), -EFAULT);
    assert_int_equal(process_check_pages(USER_BASE, 0), -EINVAL);
    assert_int_equal(process_check_pages(USER_BASE + 1, PAGE_SIZE), -EINVAL);
}

static void one_frame_is_free(void) { process[0].n_free = 1; }

/* The only gap that is large enough ends in the window; the last step of the search is a GiB. */
static void test_the_kernel_chooses_no_place_in_the_window(void **state)
{
    struct process *p = &process[0];
    struct process_thread *t = &threads[0][0];
    struct thread self = { 0 };
    u64 fits = 2 * GIB - (USER_END - PROCESS_PARTS) - 3 * PAGE_SIZE;
    t->thread = &self;
    p->run = &frames_run;
    p->size = PAGE_SIZE;
    process_frames_init(p);
    p->n_free = ~0u;
    assert_int_equal(process_call_map(t, 0, fits + PAGE_SIZE, SPACE_WRITE), -ENOMEM);
    assert_int_equal(frames_run.free, 0);
    host_elsewhere = one_frame_is_free;                                   /* when the place was found */
    assert_int_equal(process_call_map(t, 0, fits, SPACE_WRITE), -ENOMEM); /* of frames: the place is right */
    assert_int_equal(frames_run.free, FRAME_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_both_ends_see_it_at_one_address_and_one_may_write, begin, end),
        cmocka_unit_test_setup_teardown(test_what_is_told_about_a_tunnel, begin, end),
        cmocka_unit_test_setup_teardown(test_a_ring_is_kept_and_rings_coalesce, begin, end),
        cmocka_unit_test_setup_teardown(test_a_ring_wakes_one_thread_and_the_next_another, begin, end),
        cmocka_unit_test_setup_teardown(test_guests_and_processes_ring_each_other, begin, end),
        cmocka_unit_test_setup_teardown(test_a_call_rings_and_waits, begin, end),
        cmocka_unit_test_setup_teardown(test_what_is_not_there_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(test_a_word_is_waited_for_in_both_processes, begin, end),
        cmocka_unit_test_setup_teardown(test_a_wake_reaches_only_the_other_end, begin, end),
        cmocka_unit_test_setup_teardown(test_a_bell_is_no_word, begin, end),
        cmocka_unit_test_setup_teardown(test_withdrawn_it_shows_nothing_and_tells_who_waits, begin, end),
        cmocka_unit_test_setup_teardown(test_who_waits_is_told_that_the_peer_has_ended, begin, end),
        cmocka_unit_test_setup_teardown(test_who_does_not_wait_is_told_by_the_next_wait, begin, end),
        cmocka_unit_test_setup_teardown(test_a_thread_starts_in_the_first_place_that_is_free, begin, end),
        cmocka_unit_test_setup_teardown(test_no_call_changes_pages_of_the_window, begin, end),
        cmocka_unit_test_setup_teardown(test_the_kernel_chooses_no_place_in_the_window, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
