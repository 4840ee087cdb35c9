/* SPDX-License-Identifier: MIT */
/* What kernels of an SCC say on its way to core 0: whole, in order, and whatever a wrong kernel writes into the ring.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <board/scc.h>
#include <core/init.h>
#include <core/log.h>
#include <core/thread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "ring.h"

/* string.h is the kernel's. */
char *strstr(const char *text, const char *part);
char *strchr(const char *text, int c);

unsigned scc_core;
static char said[1 << 16];
static size_t said_len;
static unsigned bells[SCC_CORES];
static void (*body)(void *);
static jmp_buf blocked;
static struct thread thread;

bool scc_chosen(unsigned core) { return core == 0 || core == 7; }
void scc_bell(unsigned core) { bells[core]++; }

int ksnprintf(char *buf, size_t size, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(buf, size, fmt, ap);
    va_end(ap);
    return n;
}

void printk(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    said_len += (size_t)vsnprintf(said + said_len, sizeof(said) - said_len, fmt, ap);
    va_end(ap);
    assert_true(said_len < sizeof(said));
}

void panic(const char *fmt, ...)
{
    fail_msg("%s", fmt);
    __builtin_unreachable();
}

struct thread *thread_create(const char *name, unsigned cpu, unsigned prio, void (*entry)(void *), void *arg,
                             struct domain *d, bool fpu)
{
    body = entry;
    return &thread;
}

void thread_start(struct thread *t) { assert_ptr_equal(t, &thread); }
void thread_wake(struct thread *t) { assert_ptr_equal(t, &thread); }
int thread_block(ticks_t deadline) { longjmp(blocked, 1); }

/* Core 0's thread until it has nothing more to do. */
static const char *read_all(void)
{
    said_len = 0;
    said[0] = '\0';
    scc_core = 0;
    if (!setjmp(blocked))
        body(NULL);
    return said;
}

void thread_sleep_ns(u64 ns)
{
    if (!setjmp(blocked))
        body(NULL);
}

static void says(unsigned core, const char *text)
{
    scc_core = core;
    assert_int_equal(ring_put((const u8 *)text, (unsigned)strlen(text)), strlen(text));
}

static int setup(void **state)
{
    if (mmap((void *)SCC_SHARED, sizeof(struct scc_shared), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != (void *)SCC_SHARED)
        return -1;
    for (const init_call *call = __initcalls_start; call < __initcalls_end; call++)
        (*call)();
    return body ? 0 : -1;
}

static void lines_come_whole_with_their_core(void **state)
{
    says(7, "half");
    says(3, "three\r\n");
    assert_string_equal(read_all(), "core 3: three\n");
    says(7, " and half\nnext");
    assert_string_equal(read_all(), "core 7: half and half\n");
    says(7, "\n");
    assert_string_equal(read_all(), "core 7: next\n");
}

static void what_was_said_is_printed_before_the_board_goes_off(void **state)
{
    says(7, "last words\n");
    said_len = 0;
    scc_core = 0;
    ring_reader_drain();
    assert_string_equal(said, "core 7: last words\n");
}

static void who_is_up_is_said_once(void **state)
{
    scc_shared()->up[0] = SCC_MAGIC;
    scc_shared()->up[7] = 1; /* not the word that a kernel writes */
    assert_null(strstr(read_all(), "kernels are up"));
    scc_shared()->up[7] = SCC_MAGIC;
    assert_non_null(strstr(read_all(), "scc: all 2 kernels are up\n"));
    assert_null(strstr(read_all(), "kernels are up"));
}

static void control_characters_and_long_lines_are_bounded(void **state)
{
    says(7, "\x1b[2J\xff\x07\n");
    assert_string_equal(read_all(), "core 7: ?[2J??\n");
    for (unsigned i = 0; i < 30; i++)
        says(7, "0123456789");
    const char *text = read_all();
    for (const char *line = text; *line; line = strchr(line, '\n') + 1)
        assert_true(strchr(line, '\n') - line <= 128);
    says(7, "\n");
    read_all();
}

static void a_full_ring_takes_no_more_and_is_rung_when_there_is_room(void **state)
{
    static u8 much[2 * SCC_RING_SIZE];
    memset(much, 'x', sizeof(much));
    scc_core = 9;
    assert_int_equal(ring_put(much, sizeof(much)), SCC_RING_SIZE);
    assert_int_equal(ring_put(much, 1), 0);
    bells[9] = 0;
    ring_await_room(true);
    assert_int_equal(bells[9], 0);
    read_all();
    assert_true(bells[9] > 0);
    bells[9] = 0;
    scc_core = 9;
    ring_await_room(true); /* there is room already: nobody else would ring */
    assert_int_equal(bells[9], 1);
    ring_await_room(false);
}

/* Every word that a wrong kernel may write: core 0 ends, and prints no more than was in a ring. */
static void a_wrong_head_costs_core_0_nothing(void **state)
{
    static const u32 jumps[] = { 1, 255, 256, 257, 4095, 4096, 4097, 0x7fffffff, 0x80000000, 0xffffffff };
    struct scc_ring *r = &scc_shared()->ring[11];
    for (unsigned i = 0; i < ARRAY_SIZE(jumps); i++) {
        r->tail = 0x12345678; /* core 0's own word: it keeps its own copy */
        r->head += jumps[i];
        assert_true(strlen(read_all()) < 2 * SCC_RING_SIZE);
        assert_int_equal(r->tail, r->head);
    }
}

static void a_wrong_tail_is_a_full_ring(void **state)
{
    scc_core = 13;
    struct scc_ring *r = &scc_shared()->ring[13];
    r->tail = 5000;
    assert_int_equal(ring_put((const u8 *)"abc", 3), 0);
    r->tail = 0;
    assert_int_equal(ring_put((const u8 *)"abc", 3), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_whole_with_their_core),
        cmocka_unit_test(what_was_said_is_printed_before_the_board_goes_off),
        cmocka_unit_test(who_is_up_is_said_once),
        cmocka_unit_test(control_characters_and_long_lines_are_bounded),
        cmocka_unit_test(a_full_ring_takes_no_more_and_is_rung_when_there_is_room),
        cmocka_unit_test(a_wrong_head_costs_core_0_nothing),
        cmocka_unit_test(a_wrong_tail_is_a_full_ring),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
