/* SPDX-License-Identifier: MIT */
/* Which pages of an SCC a process reaches, and which records the kernel refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <board/watch.h>
#include <core/frames.h>
#include <errors.h>
#include <generated/para_calls.h>
#include <generated/scc_calls.h>
#include <hal/time.h>
#include <mail/mail.h>
#include <process/chip.h>
#include <stdlib.h>
#include <string.h>
#include <svm/space.h>
#include <sys/mman.h>
#include <vm/system_part.h>

#include "chip/chip.h"
#include "process/memory.h"
#include "process/part.h"
#include "records.h"

#define MOST 64

unsigned scc_core = 5;
u32 scc_lut[LUT_ENTRIES];
u64 time_hz = 1000000000;
static struct sys_domain table[3];
static const struct sys_header header = { .n_domains = 3 };
static struct {
    u64 va, size;
    paddr_t pa;
    unsigned rights;
} mapped[MOST];
static unsigned n;
static bool mail_is_its;
static int fails_at;
const struct sys_header *system_table = &header;
static struct {
    u64 cores, at;
    unsigned first, pages;
    int answer;
} given; /* of shared virtual memory */
static _Alignas(PAGE_SIZE) char page[PAGE_SIZE];

static bool shares; /* its shared virtual memory begins */
void svm_space_enter(void) { shares = true; }
/* What a run does there: test_svm_space.c. */
void svm_space_leave(void) { abort(); }
bool svm_space_has(u64 at) { abort(); }
int svm_space_access(u64 at, bool write) { abort(); }
int svm_space_alloc(unsigned pages, enum svm_model model, uintptr_t *at) { abort(); }
int svm_space_change(u64 at, enum svm_model model) { abort(); }
int svm_space_free(u64 at) { abort(); }
int svm_barrier(void) { abort(); }
static unsigned acquired, released;
void svm_acquire(void) { acquired++; }
void svm_release(void) { released++; }
int svm_lock(unsigned n) { abort(); }
int svm_unlock(unsigned n) { abort(); }
unsigned svm_rank(void) { abort(); }
unsigned svm_members(void) { abort(); }
void printk(const char *fmt, ...) { abort(); }

static unsigned elsewhere; /* starts of a process that is not here */
int domain_elsewhere(struct domain *d)
{
    elsewhere++;
    return 0;
}

bool scc_chosen(unsigned core) { return core == 5 || core == 47; }

static unsigned sent; /* messages */
int mail_send(unsigned to, const void *data, unsigned bytes)
{
    sent++;
    return 0;
}
int mail_send_sync(unsigned to, const void *data, unsigned bytes, enum mail_wait how, ticks_t deadline)
{
    return mail_send(to, data, bytes);
}
int mail_receive(struct mail *m) { abort(); }
int mail_await(struct mail *m, enum mail_wait how, ticks_t deadline) { abort(); }
int process_read(struct process_thread *t, void *to, u64 from, size_t bytes) { return 0; }
int process_write(struct process_thread *t, u64 to, const void *from, size_t bytes) { abort(); }
ticks_t time_from_ns(u64 ns) { return ns; }

static bool beats;
void scc_beat_begin(void) { beats = true; }
void mail_hand_over(void) { mail_is_its = true; }
const struct sys_domain *sys_domain(const struct sys_header *h, unsigned i) { return &table[i]; }
void *page_alloc(void) { return page; }
static const char *first_cleared;
void clear_pages(void *at, u64 count)
{
    if (!first_cleared)
        first_cleared = at;
    memset(at, 0, count * PAGE_SIZE);
}

int space_map(struct space *s, u64 va, paddr_t pa, u64 size, unsigned rights)
{
    assert_true(n < MOST && space_is_user(va, size) && va >= PROCESS_PARTS && va + size <= PROCESS_TUNNELS);
    if ((int)n == fails_at)
        return -ENOMEM;
    mapped[n].va = va;
    mapped[n].pa = pa;
    mapped[n].size = size;
    mapped[n++].rights = rights;
    return 0;
}

int stage2_map(struct stage2 *s, gpa_t gpa, paddr_t pa, u64 size, unsigned rights)
{
    return space_map(NULL, gpa, pa, size, rights & S2_WRITE ? SPACE_WRITE : 0);
}

int svm_space_give(struct space *s, u64 cores, uintptr_t at, unsigned first, unsigned pages)
{
    given.cores = cores;
    given.at = at;
    given.first = first;
    given.pages = pages;
    return given.answer;
}

static int setup(void **state)
{
    memset(&given, 0, sizeof(given));
    memset(table, 0, sizeof(table));
    memset(page, 0, sizeof(page));
    for (unsigned i = 0; i < header.n_domains; i++) {
        table[i].kind = SYS_KIND_PROCESS;
        process_record(&table[i])->ues[0] = 0x10u << i;
        process_record(&table[i])->shared_page = (u16)(10 * i);
        process_record(&table[i])->shared_pages = 10;
    }
    n = 0;
    fails_at = -1;
    return 0;
}

static struct process *process(struct sys_process conf)
{
    static struct domain domain;
    static struct process p;
    *process_record(&table[0]) = conf;
    domain = (struct domain){ .conf = &table[0] };
    p = (struct process){ .domain = &domain };
    return &p;
}

static void it_reaches_its_own_cores_halves_of_buffers_and_its_own_pages(void **state)
{
    struct process *p =
        process((struct sys_process){ .ues = { 1u << 5, 1u << 15 }, .shared_page = 3, .shared_pages = 2 });
    assert_int_equal(process_parts(p, PROCESS_CREATES), 0);
    assert_null(p->domain->ops);
    assert_int_equal(process_parts(p, PROCESS_MAPS), 0);
    assert_int_equal(n, 5);
    assert_int_equal(mapped[0].va, CHIP_INFO);
    assert_int_equal(mapped[0].pa, (uintptr_t)page);
    assert_int_equal(mapped[0].size, PAGE_SIZE);
    assert_int_equal(mapped[0].rights, 0);
    assert_int_equal(mapped[1].va, 0xde001000);
    assert_int_equal(mapped[1].pa, 0x80000000);
    assert_int_equal(mapped[1].size, 4096);
    assert_int_equal(mapped[1].rights, 0);
    const unsigned core[] = { 5, 47 };
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(mapped[2 + i].va, CHIP_MPB + core[i] * 4096);
        assert_int_equal(mapped[2 + i].pa, 0x80100000 + core[i] * 8192 + 4096);
        assert_int_equal(mapped[2 + i].size, 4096);
        assert_int_equal(mapped[2 + i].rights, SPACE_WRITE);
    }
    assert_int_equal(mapped[4].va, CHIP_SHARED);
    assert_int_equal(mapped[4].pa, 0x80160000 + 3 * 4096);
    assert_int_equal(mapped[4].size, 8192);
    const struct chip_info *info = (const void *)page;
    assert_int_equal(info->version, CHIP_VERSION);
    assert_int_equal(info->core, 5);
    assert_int_equal(info->khz, 1000000);
    assert_int_equal(info->ues[1], 1u << 15);
    assert_int_equal(info->shared_size, 8192);
    assert_true(info->chosen[0] == 1u << 5 && info->chosen[1] == 1u << 15);
    assert_true(mail_is_its && beats);
}

static void without_shared_memory_it_reaches_no_buffer(void **state)
{
    struct process *p = process((struct sys_process){ .ues = { 0, 1u << 15 } });
    assert_int_equal(process_parts(p, PROCESS_CREATES), PROCESS_ELSEWHERE);
    assert_int_equal(p->domain->ops->start(p->domain), 0);
    assert_int_equal(elsewhere, 1);
    assert_null(p->domain->ops->share); /* it has no end of a channel here */
    mail_is_its = beats = false;
    assert_int_equal(process_parts(p, PROCESS_MAPS), 0);
    assert_false(mail_is_its || beats);
    for (unsigned i = 0; i < n; i++)
        assert_true(mapped[i].va == CHIP_INFO || !mapped[i].size);
}

/* No end before the run begins is its loss, and none after is missed, however fast the next kernel comes. A kernel that
 * comes later is its own, too. */
static void a_run_loses_who_ends_after_it_has_begun(void **state)
{
    u32 *up = scc_shared()->up;
    up[5] = 1;
    up[47] = 0;
    up[6] = 9; /* not its own */
    struct process *p = process((struct sys_process){ .ues = { 1u << 5, 1u << 15 }, .shared_pages = 2 });
    assert_int_equal(process_parts(p, PROCESS_MAPS), 0);
    process_parts(p, PROCESS_BEGINS);
    assert_false(shares);
    assert_int_equal(chip_lost(p), 0);
    up[47] = 3;
    up[6] = 0;
    assert_int_equal(chip_lost(p), 0);
    up[47] = 4; /* it was reset, and the next one is up */
    assert_int_equal(chip_lost(p), 47 + 1);
    process_parts(p, PROCESS_BEGINS);
    assert_int_equal(chip_lost(p), 0);
    up[47] += SCC_FOUND_DEAD;
    assert_int_equal(chip_lost(p), 47 + 1);
}

static int group_setup(void **state)
{
    void *at =
        mmap(scc_shared(), 0x600000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    return at == scc_shared() ? 0 : -1;
}

static void an_error_is_handed_on(void **state)
{
    struct process *p = process((struct sys_process){ .ues = { 1u << 5 }, .shared_pages = 2 });
    for (fails_at = 0; fails_at < 4; fails_at++, n = 0)
        assert_int_equal(process_parts(p, PROCESS_MAPS), -ENOMEM);
}

static bool right(void)
{
    for (unsigned i = 0; i < header.n_domains; i++)
        if (table[i].kind == SYS_KIND_PROCESS && process_parts_check(&header, &table[i]))
            return false;
    return true;
}

static void what_two_would_reach_is_refused(void **state)
{
    assert_true(right());
    process_record(&table[2])->ues[0] |= process_record(&table[0])->ues[0];
    assert_false(right()); /* a buffer */
    setup(NULL);
    process_record(&table[2])->ues[1] = process_record(&table[1])->ues[1] = 1;
    assert_false(right());
    process_record(&table[2])->shared_pages = 0; /* it has none */
    assert_true(right());
    setup(NULL);
    process_record(&table[1])->shared_page = 9;
    assert_false(right()); /* the last page of the first one's */
    table[1].kind = SYS_KIND_TASK;
    assert_true(right());
}

static void what_lies_outside_is_refused(void **state)
{
    process_record(&table[2])->shared_page = 150;
    assert_true(right());
    process_record(&table[2])->shared_page = 151;
    assert_false(right());
    process_record(&table[2])->shared_page = 0xffff;
    process_record(&table[2])->shared_pages = 0xffff;
    assert_false(right());
}

static void pages_of_shared_virtual_memory_follow_each_other(void **state)
{
    struct process *p =
        process((struct sys_process){ .ues = { 1u << 5, 1u << 15 }, .shared_pages = 2, .svm_pages = 7 });
    struct domain last = { .conf = &table[2] };
    assert_int_equal(process_parts(p, PROCESS_MAPS), 0);
    assert_int_equal(process_parts(p, PROCESS_BEGINS), 0);
    assert_true(shares);
    assert_true(given.cores == (1ull << 47 | 1u << 5) && given.at == CHIP_SVM && given.first == 0 && given.pages == 7);
    table[1].kind = SYS_KIND_TASK;
    process_record(&table[1])->svm_pages = 3; /* means something else there */
    process_record(&table[2])->svm_pages = SVM_PAGES - 7;
    assert_true(right());
    p->domain = &last;
    assert_int_equal(process_parts(p, PROCESS_MAPS), 0);
    assert_true(given.first == 7 && given.pages == SVM_PAGES - 7);
    given.answer = -ENOMEM;
    assert_int_equal(process_parts(p, PROCESS_MAPS), -ENOMEM);
    process_record(&table[2])->svm_pages++;
    assert_false(right());
    setup(NULL);
    process_record(&table[1])->svm_pages = 1;
    assert_true(right());
    process_record(&table[1])->shared_pages = 0; /* another process on its cores would not be refused */
    assert_false(right());
    given.at = 0;
    process_record(&table[2])->svm_pages = 0;
    p->domain = &last;
    assert_int_equal(process_parts(p, PROCESS_MAPS), 0);
    assert_int_equal(given.at, 0); /* it takes them from no other process of its core */
}

/* A guest on these cores that joins domain 0; it is the last of the table. */
static struct sys_vm *guest(u64 cores)
{
    struct sys_vm *vm = (struct sys_vm *)table[2].part;
    table[2] = (struct sys_domain){ .kind = SYS_KIND_VM };
    vm->ues = cores;
    vm->joins = 1;
    return vm;
}

static void a_guest_that_joins_reaches_what_the_process_would_there(void **state)
{
    struct sys_process conf = { .ues = { 1u << 5, 1u << 15 }, .shared_page = 3, .shared_pages = 2 };
    assert_int_equal(process_parts(process(conf), PROCESS_MAPS), 0);
    unsigned its = n;
    mail_is_its = beats = false;
    guest(1u << 5);
    assert_int_equal(chip_guest_map(&table[2], NULL), 0);
    assert_int_equal(n, 2 * its);
    assert_memory_equal(mapped, mapped + its, its * sizeof(mapped[0]));
    assert_true(beats && !mail_is_its);
    for (fails_at = (int)n; fails_at < (int)(3 * its); fails_at++) {
        n = 2 * its;
        assert_int_equal(chip_guest_map(&table[2], NULL), -ENOMEM);
    }
    guest(1u << 5)->joins = 0;
    assert_int_equal(chip_guest_map(&table[2], NULL), 0);
}

/* Whoever waits for its word in the buffer has lost it before anything else is gone. */
static void a_next_life_of_a_guest_finds_nothing_of_the_last_ones(void **state)
{
    struct sys_process conf = { .ues = { 1u << 5, 1u << 15 }, .shared_page = 3, .shared_pages = 2, .svm_pages = 3 };
    struct domain d = { .conf = &table[2], .life = 1 };
    char *mpbs = scc_mpb(0), *shared = (char *)SCC_PROCESSES, *pages = (char *)SCC_SVM_PAGES;
    size_t own = 5 * SCC_MPB_SIZE + MPB_AT, from = 3 * PAGE_SIZE;
    process(conf);
    guest(1u << 5);
    memset(mpbs, 1, SCC_CORES * SCC_MPB_SIZE);
    memset(shared, 1, SCC_PROCESSES_SIZE);
    memset(pages, 1, 4 * PAGE_SIZE);
    chip_guest_map(&table[2], NULL);
    chip_guest_begin(&d);
    assert_true(mpbs[own] == 1 && shared[from] == 1); /* others may have written there before it began */
    guest(1u << 5)->joins = 0;
    d.life = 2;
    chip_guest_begin(&d);
    assert_true(mpbs[own] == 1 && shared[from] == 1);
    guest(1u << 5);
    first_cleared = NULL;
    d.life = 1; /* numbers have come round */
    chip_guest_begin(&d);
    assert_ptr_equal(first_cleared, mpbs + own);
    for (size_t at = 0; at < SCC_CORES * SCC_MPB_SIZE; at++)
        assert_int_equal(mpbs[at], !(at - own < CHIP_MPB_SIZE));
    for (size_t at = 0; at < SCC_PROCESSES_SIZE; at++)
        assert_int_equal(shared[at], !(at - from < 2 * PAGE_SIZE));
    for (size_t at = 0; at < 4 * PAGE_SIZE; at++)
        assert_int_equal(pages[at], at >= 3 * PAGE_SIZE);
}

/* It has them as they lie there, and its kernel is no member. */
static void a_guest_that_joins_has_the_processs_pages_of_shared_virtual_memory(void **state)
{
    struct sys_process conf = { .ues = { 1u << 5, 1u << 15 }, .shared_page = 3, .shared_pages = 2, .svm_pages = 7 };
    process(conf);
    guest(1u << 5);
    assert_int_equal(chip_guest_map(&table[2], NULL), 0);
    assert_int_equal(mapped[n - 1].va, CHIP_SVM);
    assert_int_equal(mapped[n - 1].pa, 0x80500000);
    assert_int_equal(mapped[n - 1].size, 7 * 4096);
    assert_int_equal(mapped[n - 1].rights, SPACE_WRITE);
    ((struct sys_vm *)table[2].part)->joins = 2; /* behind those of domain 0 */
    process_record(&table[1])->svm_pages = 9;
    assert_int_equal(chip_guest_map(&table[2], NULL), 0);
    assert_int_equal(mapped[n - 1].pa, 0x80500000 + 7 * 4096);
    assert_int_equal(mapped[n - 1].size, 9 * 4096);
    guest(1ull << 47);
    assert_int_equal(process_parts(process(conf), PROCESS_MAPS), 0);
    assert_int_equal(given.cores, 1u << 5);
}

static void a_guest_that_joins_has_two_calls_and_others_none(void **state)
{
    process((struct sys_process){ .ues = { 1u << 5 }, .shared_pages = 2 });
    guest(1u << 5);
    acquired = released = 0;
    for (u32 number = PARA_BASE; number < PARA_BASE + 64; number++)
        assert_int_equal(chip_guest_call(&table[2], number),
                         number == PARA_CHIP_ACQUIRE || number == PARA_CHIP_RELEASE ? 0 : -ENOSYS);
    assert_true(acquired == 1 && released == 1);
    guest(1u << 5)->joins = 0;
    assert_int_equal(chip_guest_call(&table[2], PARA_CHIP_ACQUIRE), -ENOSYS);
    assert_int_equal(chip_guest_call(&table[2], PARA_CHIP_RELEASE), -ENOSYS);
    assert_true(acquired == 1 && released == 1);
}

static void a_process_does_not_run_where_a_guest_is_in_its_place(void **state)
{
    struct sys_process conf = { .ues = { 1u << 5 | 1u << 7 }, .shared_pages = 2 };
    guest(1u << 7);
    assert_int_equal(process_parts(process(conf), PROCESS_CREATES), 0);
    guest(1u << 5);
    assert_int_equal(process_parts(process(conf), PROCESS_CREATES), PROCESS_ELSEWHERE);
    guest(1u << 5)->joins = 2;
    assert_int_equal(process_parts(process(conf), PROCESS_CREATES), 0);
}

/* The kernel's own thread would take it there, and wait as the message says. */
static void no_message_is_sent_to_a_guest(void **state)
{
    struct process_thread t = { .process = process((struct sys_process){ .ues = { 1u << 5 | 1u << 6 | 1u << 7 },
                                                                         .shared_pages = 2 }) };
    guest(1u << 7);
    sent = 0;
    for (u32 core = 0; core < 64; core++) {
        s64 want = core == 5 || core == 6 ? 0 : -EPERM;
        assert_int_equal(scc_call_mail_send(&t, core, 0, 1), want);
        assert_int_equal(scc_call_mail_send_sync(&t, core << 8 | 1, 0, 0), want);
    }
    assert_int_equal(sent, 4);
}

static void a_guest_that_joins_wrongly_is_refused(void **state)
{
    process((struct sys_process){ .ues = { 1u << 5, 1u << 15 }, .shared_pages = 2 });
    guest(1u << 5 | 1ull << 47);
    assert_null(chip_guest_check(&header, &table[2]));
    guest(1u << 5 | 1u << 6);
    assert_non_null(chip_guest_check(&header, &table[2])); /* core 6 is none of its */
    for (unsigned other = 0; other < 256; other++) {
        guest(1u << 5)->joins = (u8)other; /* nothing, two processes of core 5, itself, nobody */
        assert_int_equal(!chip_guest_check(&header, &table[2]), other < 3);
    }
    guest(1u << 5);
    process_record(&table[0])->shared_pages = 0;
    assert_non_null(chip_guest_check(&header, &table[2]));
    process_record(&table[0])->shared_pages = 1;
    process_record(&table[0])->svm_pages = 1;
    assert_null(chip_guest_check(&header, &table[2]));
    for (unsigned i = 0; i < SYS_MAX_PORTS; i++) {
        process_record(&table[0])->port[i] = SYS_PORT;
        assert_non_null(chip_guest_check(&header, &table[2]));
        process_record(&table[0])->port[i] = 0;
    }
    table[1] = table[2];
    assert_non_null(chip_guest_check(&header, &table[2]));
    ((struct sys_vm *)table[1].part)->ues = 1ull << 47;
    assert_null(chip_guest_check(&header, &table[2]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(it_reaches_its_own_cores_halves_of_buffers_and_its_own_pages, setup),
        cmocka_unit_test_setup(without_shared_memory_it_reaches_no_buffer, setup),
        cmocka_unit_test_setup(a_run_loses_who_ends_after_it_has_begun, setup),
        cmocka_unit_test_setup(an_error_is_handed_on, setup),
        cmocka_unit_test_setup(what_two_would_reach_is_refused, setup),
        cmocka_unit_test_setup(what_lies_outside_is_refused, setup),
        cmocka_unit_test_setup(pages_of_shared_virtual_memory_follow_each_other, setup),
        cmocka_unit_test_setup(a_guest_that_joins_reaches_what_the_process_would_there, setup),
        cmocka_unit_test_setup(a_next_life_of_a_guest_finds_nothing_of_the_last_ones, setup),
        cmocka_unit_test_setup(a_guest_that_joins_has_the_processs_pages_of_shared_virtual_memory, setup),
        cmocka_unit_test_setup(a_guest_that_joins_has_two_calls_and_others_none, setup),
        cmocka_unit_test_setup(a_process_does_not_run_where_a_guest_is_in_its_place, setup),
        cmocka_unit_test_setup(no_message_is_sent_to_a_guest, setup),
        cmocka_unit_test_setup(a_guest_that_joins_wrongly_is_refused, setup),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
