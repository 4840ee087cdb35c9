/* SPDX-License-Identifier: MIT */
/* What kernels of an SCC say on its way to core 0: whole, in order, and whatever a wrong kernel writes into the ring.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <board/scc.h>
#include <core/console.h>
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
u64 host_now = 1, time_hz = 1u << 24; /* 2^24 ticks are a second */
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

bool uart_present(unsigned port) { return false; }
unsigned uart_put(unsigned port, const u8 *bytes, unsigned n) { return n; }
void uart_irqs(unsigned port, unsigned which) {}
int uart_getc(unsigned port) { return -1; }
void thread_start(struct thread *t) { assert_ptr_equal(t, &thread); }
void thread_wake(struct thread *t) { assert_ptr_equal(t, &thread); }
int thread_block(ticks_t deadline) { longjmp(blocked, 1); }

static unsigned slept;          /* milliseconds */
static void (*meanwhile)(void); /* what other kernels do in each of them */
static bool reads = true;       /* the reader makes a round of all rings in each */

void ring_reader_has_read(struct thread *t, bool some)
{
    if (meanwhile)
        longjmp(blocked, 1);
}

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
    assert_int_equal(ns, 1000000);
    assert_true(++slept < 100000);
    if (meanwhile)
        meanwhile();
    scc_core = 0;
    if (reads && !setjmp(blocked))
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

/* Core 0 goes off. Returns what it has printed until then. */
static const char *drained(void (*others)(void))
{
    said_len = slept = 0;
    said[0] = '\0';
    meanwhile = others;
    scc_core = 0;
    ring_reader_drain();
    meanwhile = NULL;
    return said;
}

static void what_was_said_is_printed_before_the_board_goes_off(void **state)
{
    says(7, "last words\n");
    assert_string_equal(drained(NULL), "core 7: last words\n");
    assert_true(slept <= 1);
}

static unsigned lines;

static void speaks_for_long_and_ends(void)
{
    if (lines < 400 && slept % 2)
        says(7, "line\n"), lines++;
    scc_shared()->off[7] = lines == 400;
}

static void who_still_speaks_is_heard_until_it_has_ended(void **state)
{
    scc_shared()->up[7] = SCC_MAGIC;
    lines = 0;
    assert_int_equal(strlen(drained(speaks_for_long_and_ends)), 400 * strlen("core 7: line\n"));
    assert_in_range(slept, 799, 801);
}

static void speaks_now_and_then(void)
{
    if (slept % 100 == 0)
        says(7, "line\n");
}

static void speaks_without_end(void)
{
    scc_core = 7;
    static u8 much[SCC_RING_SIZE];
    ring_put(much, sizeof(much));
    said_len = 0;
}

/* Its program may go on by design. */
static void who_speaks_without_end_does_not_keep_the_board_on(void **state)
{
    scc_shared()->off[7] = 0;
    drained(speaks_now_and_then);
    assert_in_range(slept, 5000, 5100);
    const char *text = drained(speaks_without_end);
    assert_in_range(slept, 1000, 20000); /* a round has 256 bytes of it */
    assert_non_null(strstr(text, "scc: 3840 bytes of other kernels' text are lost\n"));
    read_all();
}

static void what_cannot_be_printed_is_counted_and_said(void **state)
{
    says(7, "these words\n");
    reads = false;
    const char *text = drained(NULL);
    reads = true;
    assert_in_range(slept, 500, 501);
    assert_string_equal(text, "scc: 12 bytes of other kernels' text are lost\n");
    read_all();
    scc_shared()->up[7] = 0;
}

static void what_a_kernel_had_to_drop_is_said_once(void **state)
{
    says(7, "after it\n");
    scc_core = 7;
    assert_true(hal_console_drop(4000, false));
    assert_true(hal_console_drop(96, false));
    assert_string_equal(read_all(), "core 7: 4096 bytes are lost\ncore 7: after it\n");
    assert_string_equal(read_all(), "");
}

/* Pass seconds, in each of which a kernel's port takes nothing for as many looks as make a serial port dead. Returns
 * how many seconds passed before it dropped bytes; `text`: core 0 prints some of another kernel in each. */
static unsigned waits(unsigned core, unsigned seconds, bool text)
{
    for (unsigned i = 0; i < seconds; i++) {
        scc_core = core;
        host_now += time_hz;
        if (hal_console_drop(5, true))
            return i;
        if (text) {
            says(3, "x\n");
            read_all();
        }
    }
    return seconds;
}

static void who_waits_for_core_0_waits_as_long_as_it_prints_for_anybody(void **state)
{
    assert_int_equal(waits(7, 100000, true), 100000);
    assert_in_range(waits(7, 100000, false), 200, 300);
    assert_string_equal(read_all(), "core 7: 5 bytes are lost\n");
    assert_int_equal(waits(7, 1, false), 0); /* and no longer, until it prints again */
    says(3, "x\n");
    read_all();
    assert_int_equal(waits(7, 200, false), 200);
    assert_int_equal(waits(0, 1, true), 0); /* core 0 has a serial port */
}

static void who_is_up_is_said_once(void **state)
{
    scc_shared()->up[0] = SCC_MAGIC;
    scc_shared()->up[7] = 0;
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
        cmocka_unit_test(who_still_speaks_is_heard_until_it_has_ended),
        cmocka_unit_test(who_speaks_without_end_does_not_keep_the_board_on),
        cmocka_unit_test(what_cannot_be_printed_is_counted_and_said),
        cmocka_unit_test(what_a_kernel_had_to_drop_is_said_once),
        cmocka_unit_test(who_waits_for_core_0_waits_as_long_as_it_prints_for_anybody),
        cmocka_unit_test(control_characters_and_long_lines_are_bounded),
        cmocka_unit_test(a_full_ring_takes_no_more_and_is_rung_when_there_is_room),
        cmocka_unit_test(a_wrong_head_costs_core_0_nothing),
        cmocka_unit_test(a_wrong_tail_is_a_full_ring),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
