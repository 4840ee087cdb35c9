/* SPDX-License-Identifier: MIT */
/* A native program that all cores run together, on one of them: who its threads are, which kernels' ends it is told of,
 * and whom its end is told. Another core's kernel ends as soon as all have met. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <board/scc.h>
#include <core/cpu.h>
#include <core/init.h>
#include <hal/context.h>
#include <native/native.h>
#include <stdlib.h>
#include <string.h>
#include <svm/svm.h>
#include <sys/mman.h>

#include "records.h"

#define ME     17u
#define DIES   5u
#define ENTRY  4096u
#define SHARED 8192u
#define MEMORY (512u * 1024)

unsigned scc_core = ME;
bool host_irq_on = true;
u64 host_now = 1, time_hz = 1000000000;
const struct sys_header *system_table;

static const struct domain_ops *ops;
static struct sys_domain conf;
static struct domain domain[2];
static struct thread thread;
static void (*thread_entry)(void *);
static void *thread_arg;
static struct sys_domain conf_of_second; /* beside it: its part is behind the first one's */
static u8 *memory;
static size_t placed;
static bool was_up[SCC_CORES]; /* what the program was told of each core */
static u32 was_lost;

void domain_register_kind(unsigned kind, const struct domain_ops *o) { ops = o; }
int domain_elsewhere(struct domain *d) { return -1; }
void domain_thread_gone(struct domain *d) {}
/* core/domain.c: the first reason is kept. */
void domain_end(struct domain *d, enum domain_end how, const char *fmt, ...)
{
    d->end = (u8)how;
    ops->kill(d);
}
const void *sys_payload(const struct sys_header *h, unsigned i, u64 *size)
{
    *size = 0;
    return "";
}
int elf32_read(const void *file, u64 size, u32 max, struct elf32_image *image, const char **why)
{
    *image = (struct elf32_image){ .size = 2 * SHARED, .entry = ENTRY, .shared = SHARED };
    return 0;
}

/* What the entry jumps to, in place of compiled code. */
static void program(const struct native_calls *c)
{
    for (u32 core = 0; core < SCC_CORES; core++)
        was_up[core] = c->up(core);
    assert_false(c->up(SCC_CORES) || c->up(~0u));
    was_lost = c->lost();
}

/* mov $program, %rax; jmp *%rax */
int elf32_load(const void *file, const struct elf32_image *image, u8 *at, const char **why)
{
    void (*to)(const struct native_calls *) = program;
    memcpy(at + ENTRY, "\x48\xb8", 2);
    memcpy(at + ENTRY + 2, &to, sizeof(to));
    memcpy(at + ENTRY + 2 + sizeof(to), "\xff\xe0", 2);
    return 0;
}
const struct sys_domain *sys_domain(const struct sys_header *h, unsigned i)
{
    return (const struct sys_domain *)((const u8 *)h + h->off_domains) + i;
}
void *pages_alloc(u64 count) { return NULL; }
void clear_pages(void *at, u64 count) { abort(); }
struct thread *thread_create(const char *name, unsigned cpu, unsigned prio, void (*entry)(void *), void *arg,
                             struct domain *d, bool fpu)
{
    thread.domain = d;
    thread_entry = entry;
    thread_arg = arg;
    return &thread;
}
void thread_start(struct thread *t) {}
void thread_join(struct thread *t) {}
void thread_wake(struct thread *t) {}
void thread_sleep_ns(u64 ns) {}
static jmp_buf exited;
void thread_exit(void) { longjmp(exited, 1); }
struct thread *thread_self(void) { return &thread; }
void thread_pointer_set(void *at) {}
void console_write(unsigned owner, const char *text, size_t n) {}
bool scc_chosen(unsigned core) { return core == 0 || core == DIES || core == ME; }
void printk(const char *fmt, ...) {}
void scc_beat_begin(void) {}

/* A barrier, in which the members say their kernels' numbers. */
void *svm_alloc(size_t bytes, enum svm_model model)
{
    placed += bytes;
    return memory + placed - bytes;
}
static u32 met_of(unsigned core) { return core == DIES ? 4 : core == 0 || core == ME ? 1 : 0; }
u32 svm_kernel_of(unsigned core) { return met_of(core); }
/* The last barrier before the program. Another core has begun, and its neighbour is reset, and up again, before this
 * core goes on. */
int svm_change(void *at, enum svm_model model)
{
    scc_shared()->up[DIES] = 5;
    return 0;
}
unsigned svm_rank(void) { return 0; }

static char *part_of(const struct sys_domain *c)
{
    return (char *)SCC_PROGRAMS + process_record(c)->shared_page * PAGE_SIZE;
}
static u32 word_of_loss(const struct sys_domain *c) { return *(u32 *)(part_of(c) + NATIVE_LOST); }

static int group_setup(void **state)
{
    void *at =
        mmap(scc_shared(), 0x500000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at != scc_shared() || memory == MAP_FAILED)
        return -1;
    for (const init_call *call = __initcalls_start; call < __initcalls_end; call++)
        (*call)();
    conf = (struct sys_domain){ .name = "threads", .memory = MEMORY };
    process_record(&conf)->stack = 65536 / SYS_STACK_UNIT;
    process_record(&conf)->ues[0] = 1u << 0 | 1u << DIES | 1u << ME | 1u << 30;
    process_record(&conf)->shared_pages = 256;
    conf_of_second = conf;
    process_record(&conf_of_second)->shared_page = 256;
    memset(part_of(&conf), 0xa5, NATIVE_WORDS);
    memset(part_of(&conf_of_second), 0xa5, NATIVE_WORDS);
    for (unsigned core = 0; core < SCC_CORES; core++)
        scc_shared()->up[core] = met_of(core);
    for (unsigned i = 0; i < 2; i++) {
        domain[i] = (struct domain){ .id = i, .conf = i ? &conf_of_second : &conf };
        assert_int_equal(ops->create(&domain[i]), 0);
        assert_int_equal(ops->start(&domain[i]), 0);
        thread_entry(thread_arg);
    }
    return 0;
}

static void its_threads_are_those_who_have_met_whoever_dies_after(void **state)
{
    for (unsigned core = 0; core < SCC_CORES; core++)
        assert_int_equal(was_up[core], scc_chosen(core));
}

/* It was up when this core looked for the first time. */
static void who_ends_after_all_have_met_is_lost_and_its_next_kernel_does_not_hide_it(void **state)
{
    assert_int_equal(was_lost, DIES + 1);
    const struct native_calls *c = &((struct native *)domain[0].impl)->calls;
    assert_int_equal(c->met[0], 1);
    assert_int_equal(c->met[30], 0);
    assert_int_equal(c->met[DIES], 4);
    thread = (struct thread){ .domain = &domain[0] };
    scc_shared()->up[30] = scc_shared()->up[6] = 9; /* no members */
    scc_shared()->up[DIES] = 4;
    assert_int_equal(c->lost(), 0);
    scc_shared()->up[0] += SCC_FOUND_DEAD;
    assert_int_equal(c->lost(), 0 + 1);
    scc_shared()->up[0] -= SCC_FOUND_DEAD;
}

static void a_second_program_is_refused_and_ends_nobody(void **state)
{
    assert_int_equal(domain[0].end, END_DONE);
    assert_int_equal(domain[1].end, END_UNSTARTED);
    assert_string_equal(domain[1].reason, "another program has the shared virtual memory");
    assert_int_equal(word_of_loss(&conf), 0);
}

/* Words of the other one are not cleared, and each program is told of its own part only. */
static void each_program_has_its_own_part_of_the_shared_memory(void **state)
{
    const struct native_calls *c = &((struct native *)domain[0].impl)->calls;
    assert_ptr_equal(c->shared, part_of(&conf));
    assert_int_equal(c->shared_size, 256 * PAGE_SIZE);
    for (u32 i = 0; i < NATIVE_WORDS; i++)
        assert_int_equal(part_of(&conf)[i], 0);
    for (u32 i = 0; i < NATIVE_LOST; i++)
        assert_int_equal((u8)part_of(&conf_of_second)[i], 0xa5);
}

static const char *check_with(u32 page, u32 pages, u32 other_page, u32 other_pages)
{
    static struct {
        struct sys_header header;
        struct sys_domain domain[2];
    } system;
    system.header = (struct sys_header){ .n_domains = 2, .off_domains = offsetof(__typeof__(system), domain) };
    system.domain[0] = system.domain[1] = conf;
    system.domain[0].kind = system.domain[1].kind = SYS_KIND_NATIVE;
    process_record(&system.domain[0])->shared_page = (u16)page;
    process_record(&system.domain[0])->shared_pages = (u16)pages;
    process_record(&system.domain[1])->shared_page = (u16)other_page;
    process_record(&system.domain[1])->shared_pages = (u16)other_pages;
    return ops->check(&system.header, &system.domain[0]);
}

static void parts_that_overlap_or_lie_outside_are_refused(void **state)
{
    static const char wrong[] = "a native program has no shared memory, or another one's";
    assert_null(check_with(0, 256, 256, 256));
    assert_null(check_with(256, 256, 0, 256));
    assert_null(check_with(16, 16, 0, 16));
    assert_string_equal(check_with(0, 0, 256, 256), wrong);
    assert_string_equal(check_with(0, 15, 256, 256), wrong);
    assert_string_equal(check_with(256, 257, 0, 256), wrong);
    assert_string_equal(check_with(0xffff, 0xffff, 0, 256), wrong);
    assert_string_equal(check_with(0, 256, 255, 256), wrong);
    assert_string_equal(check_with(100, 16, 0, 512), wrong);
    assert_string_equal(check_with(0, 512, 100, 16), wrong);
}

static void who_ends_without_exit_tells_the_others(void **state)
{
    domain_end(&domain[0], END_STOPPED, "by the control console");
    assert_int_equal(word_of_loss(&conf), 1);
}

/* A wait rests; who polls only asks whether a kernel is dead. */
static void a_program_that_was_stopped_ends_at_its_next_question(void **state)
{
    const struct native_calls *c = &((struct native *)domain[0].impl)->calls;
    volatile unsigned ends = 0;
    thread = (struct thread){ .domain = &domain[0] };
    assert_int_equal(c->lost(), 0);
    domain_end(&domain[0], END_STOPPED, "by the control console");
    if (setjmp(exited))
        ends++;
    if (ends == 0)
        c->lost();
    if (ends == 1)
        c->rest();
    assert_int_equal(ends, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_threads_are_those_who_have_met_whoever_dies_after),
        cmocka_unit_test(who_ends_after_all_have_met_is_lost_and_its_next_kernel_does_not_hide_it),
        cmocka_unit_test(a_second_program_is_refused_and_ends_nobody),
        cmocka_unit_test(each_program_has_its_own_part_of_the_shared_memory),
        cmocka_unit_test(parts_that_overlap_or_lie_outside_are_refused),
        cmocka_unit_test(who_ends_without_exit_tells_the_others),
        cmocka_unit_test(a_program_that_was_stopped_ends_at_its_next_question),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
