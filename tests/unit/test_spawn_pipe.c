/* SPDX-License-Identifier: MIT */
/* Pipes between processes: random operations answer as a reference does; nobody's pipe is another one's; who ends, or
 * closes, is found out by the other side. And what is typed at a console. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <core/console.h>
#include <core/frames.h>
#include <core/sched.h>
#include <errors.h>
#include <generated/spawn_calls.h>
#include <stdlib.h>
#include <string.h>

#include "handle/table.h"
#include "process/part.h"
#include "spawn/events.h"
#include "spawn/pipe.h"

#define PROCESSES 3 /* the first one owns the pipes */
#define PIPES     4u
#define ROOM      4096u
#define STEPS     200000

__thread struct cpu *host_core;
static const struct sys_header header;
const struct sys_header *system_table = &header;
struct domain domains[SYS_MAX_DOMAINS];
unsigned n_domains = PROCESSES;
static struct process process[PROCESSES];
static struct process_thread thread[PROCESSES];
static unsigned woken[PROCESSES];
static bool faults;             /* the process's memory is not there */
static void (*meanwhile)(void); /* what others do just before a pipe's handles become void */

static void (*in_copy)(void); /* what others do while bytes are copied */

static unsigned held, resumed; /* how often the console was told so of domain 0 */
void console_hold(unsigned source) { held += !source; }
void console_room(unsigned source) { resumed += !source; }
void events_ring(unsigned domain) { woken[domain]++; }
void events_ring_console(unsigned console) {}
void sched_poll(void) {}
void *pages_alloc(u64 pages) { return memset(aligned_alloc(PAGE_SIZE, pages * PAGE_SIZE), 0, pages * PAGE_SIZE); }

int process_read(struct process_thread *t, void *to, u64 from, size_t n)
{
    memcpy(to, (const void *)(uintptr_t)from, faults ? n / 2 : n);
    return faults ? -EFAULT : 0;
}

int process_write(struct process_thread *t, u64 to, const void *from, size_t n)
{
    void (*does)(void) = in_copy;
    in_copy = NULL;
    if (does)
        does();
    memcpy((void *)(uintptr_t)to, from, faults ? n / 2 : n);
    return faults ? -EFAULT : 0;
}

void __real_handle_withdraw(struct handle_object *o, struct process_thread *self);
void __wrap_handle_withdraw(struct handle_object *o, struct process_thread *self);
void __wrap_handle_withdraw(struct handle_object *o, struct process_thread *self)
{
    void (*does)(void) = meanwhile;
    meanwhile = NULL;
    if (does)
        does();
    __real_handle_withdraw(o, self);
}

/* --- the reference ------------------------------------------------------------------------------------------------ */

static struct reference {
    bool used;
    u32 n, holders[2]; /* bytes in it; handles of the reading and the writing end */
    u8 bytes[ROOM];
} pipes[PIPES];
static struct {
    struct reference *pipe; /* NULL: no handle */
    unsigned writes;
} table[PROCESSES][HANDLES];

static unsigned random_below(unsigned n) { return (unsigned)rand() % n; }

static void released(unsigned p, unsigned index)
{
    struct reference *r = table[p][index].pipe;
    r->holders[table[p][index].writes]--;
    r->used = r->holders[0] || r->holders[1];
    table[p][index].pipe = NULL;
}

static unsigned lowest(unsigned p)
{
    unsigned i = 0;
    while (i < HANDLES && table[p][i].pipe)
        i++;
    return i;
}

static void hold(unsigned p, struct reference *r, unsigned writes)
{
    unsigned i = lowest(p);
    table[p][i].pipe = r;
    table[p][i].writes = writes;
    r->holders[writes]++;
    r->used = true;
}

/* --- operations --------------------------------------------------------------------------------------------------- */

static void make(void)
{
    struct reference *r = pipes;
    while (r < pipes + PIPES && r->used)
        r++;
    s64 made = spawn_call_spawn_pipe(&thread[0]);
    if (r == pipes + PIPES) {
        assert_int_equal(made, -ENOMEM);
        return;
    }
    unsigned reader = lowest(0);
    if (reader >= HANDLES - 1) {
        assert_int_equal(made, -ENOSPC);
        return;
    }
    r->n = 0;
    hold(0, r, 0);
    unsigned writer = lowest(0);
    hold(0, r, 1);
    assert_int_equal(made, reader | writer << 8);
}

/* As a start does (slots.c): the owner's handle, copied. */
static void give(void)
{
    unsigned index = random_below(HANDLES), to = 1 + random_below(PROCESSES - 1);
    struct handle h = handle_at(&process[0], index);
    assert_int_equal(!h.object, !table[0][index].pipe);
    if (!h.object || lowest(to) == HANDLES)
        return;
    assert_int_equal(handle_add(&process[to], &h), lowest(to));
    pipe_hold(&h, to);
    hold(to, table[0][index].pipe, table[0][index].writes);
}

static void close_one(unsigned p)
{
    unsigned index = random_below(HANDLES);
    struct handles *of = handles_of(&process[p]);
    struct handle h = of->handle[index];
    assert_int_equal(!h.object, !table[p][index].pipe);
    if (!h.object)
        return;
    of->handle[index].object = NULL; /* handle_close() */
    h.object->ops->closed(h.object, &thread[p], index, h.rights);
    released(p, index);
}

static void end_one(unsigned p)
{
    process_parts(&process[p], PROCESS_ENDS);
    process_parts(&process[p], PROCESS_BEGINS);
    for (unsigned i = 0; i < HANDLES; i++)
        if (table[p][i].pipe)
            released(p, i);
}

static void read_some(unsigned p)
{
    static u8 data[8192];
    unsigned index = random_below(HANDLES + 1), n = random_below(4) ? random_below(6000) : 0;
    const struct reference *r = index < HANDLES ? table[p][index].pipe : NULL;
    s64 there = r ? r->n : 0, wanted = n;
    s64 expected = !r                           ? -EBADF
                   : table[p][index].writes     ? -EACCES
                   : !there && r->holders[1]    ? -EAGAIN
                   : !wanted || wanted >= there ? there
                                                : wanted;
    if (faults && expected > 0 && n)
        expected = -EFAULT;
    assert_int_equal(spawn_call_pipe_read(&thread[p], index, (uintptr_t)data, n), expected);
    if (expected <= 0 || !n)
        return;
    struct reference *of = table[p][index].pipe;
    assert_memory_equal(data, of->bytes, (size_t)expected);
    of->n -= (u32)expected;
    memmove(of->bytes, of->bytes + expected, of->n);
}

static void write_some(unsigned p)
{
    static u8 data[8192];
    unsigned index = random_below(HANDLES + 1), n = random_below(4) ? random_below(6000) : 0;
    struct reference *r = index < HANDLES ? table[p][index].pipe : NULL;
    s64 room = r ? ROOM - r->n : 0, wanted = n;
    s64 expected = !r                                                ? -EBADF
                   : !table[p][index].writes                         ? -EACCES
                   : !r->holders[0]                                  ? -EPIPE
                   : !room || (wanted <= (s64)ROOM && wanted > room) ? -EAGAIN
                   : !wanted || wanted > room                        ? room
                                                                     : wanted;
    unsigned before[PROCESSES];
    memcpy(before, woken, sizeof(before));
    if (faults && expected > 0 && n)
        expected = -EFAULT;
    for (unsigned i = 0; i < n; i++)
        data[i] = (u8)rand();
    assert_int_equal(spawn_call_pipe_write(&thread[p], index, (uintptr_t)data, n), expected);
    if (expected <= 0 || !n)
        return;
    memcpy(r->bytes + r->n, data, (size_t)expected);
    r->n += (u32)expected;
    for (unsigned q = 0; q < PROCESSES; q++)
        for (unsigned i = 0; i < HANDLES; i++)
            if (table[q][i].pipe == r)
                assert_true(woken[q] > before[q]);
}

static void test_random_operations_answer_as_the_reference_does(void **state)
{
    srand(1);
    for (unsigned step = 0; step < STEPS; step++) {
        unsigned p = random_below(PROCESSES);
        faults = !random_below(16);
        switch (random_below(32)) {
        case 0: end_one(p); break;
        case 1:
        case 2: make(); break;
        case 3:
        case 4:
        case 5: give(); break;
        case 6:
        case 7: close_one(p); break;
        default: random_below(2) ? read_some(p) : write_some(p);
        }
    }
    for (unsigned p = 0; p < PROCESSES; p++)
        end_one(p);
    for (unsigned i = 0; i < PIPES; i++)
        make(); /* all are free again */
    assert_int_equal(spawn_call_spawn_pipe(&thread[0]), -ENOMEM);
    end_one(0);
}

static void test_a_pipe_is_passed_on_by_a_start_only(void **state)
{
    s64 made = spawn_call_spawn_pipe(&thread[0]);
    assert_int_equal(handle_at(&process[0], (unsigned)made & 0xff).rights, HANDLE_READ);
    assert_int_equal(handle_at(&process[0], (unsigned)made >> 8).rights, HANDLE_WRITE);
    assert_int_equal(spawn_call_spawn_pipe(&thread[1]), -ENOMEM); /* which owns no slot */
    process_parts(&process[0], PROCESS_ENDS);
}

/* --- a pipe's last holder lets it go, and others are at it ----------------------------------------------------------
 */

static struct handle reader; /* as another thread of the owner has read it before */

static void start_with_reader(void)
{
    assert_int_equal(handle_add(&process[1], &reader), 0);
    pipe_hold(&reader, 1);
}

/* Who has taken the object, and not yet the pipe's lock, is as one that still has the handle. */
static void read_by_reader(void)
{
    u8 data[4];
    handles_of(&process[0])->handle[0] = reader;
    assert_int_equal(spawn_call_pipe_read(&thread[0], 0, (uintptr_t)data, sizeof(data)), -ESTALE);
    handles_of(&process[0])->handle[0].object = NULL;
}

/* Close both ends of a pipe with a byte in it while `does` happens. */
static void close_while(void (*does)(void))
{
    assert_int_equal(spawn_call_spawn_pipe(&thread[0]), 0 | 1 << 8);
    assert_int_equal(spawn_call_pipe_write(&thread[0], 1, (uintptr_t) "x", 1), 1);
    reader = handle_at(&process[0], 0);
    meanwhile = does;
    for (unsigned i = 0; i < 2; i++) {
        struct handle h = handle_at(&process[0], i);
        handles_of(&process[0])->handle[i].object = NULL;
        h.object->ops->closed(h.object, &thread[0], i, h.rights);
    }
    assert_null(meanwhile);
}

static void test_a_pipe_that_ends_gets_no_new_holder(void **state)
{
    u8 data[4];
    close_while(start_with_reader);
    assert_int_equal(spawn_call_spawn_pipe(&thread[0]), 0 | 1 << 8);
    process_parts(&process[1], PROCESS_ENDS); /* it has a void handle only: the new pipe keeps its reader */
    assert_int_equal(spawn_call_pipe_write(&thread[0], 1, (uintptr_t) "y", 1), 1);
    assert_int_equal(spawn_call_pipe_read(&thread[0], 0, (uintptr_t)data, sizeof(data)), 1);
    process_parts(&process[0], PROCESS_ENDS);
}

static void test_a_pipe_that_ends_is_not_read_any_more(void **state)
{
    close_while(read_by_reader);
    for (unsigned i = 0; i < PIPES; i++)
        assert_true(spawn_call_spawn_pipe(&thread[0]) >= 0);
    assert_int_equal(spawn_call_spawn_pipe(&thread[0]), -ENOMEM);
    process_parts(&process[0], PROCESS_ENDS);
}

/* The console's owner begins again while what its last life has started still reads. */
static void begin_again(void)
{
    process_parts(&process[0], PROCESS_BEGINS);
    process_input(&domains[0], 'd');
}

static void test_what_is_typed_for_the_next_run_is_not_read_by_the_last_one(void **state)
{
    char data[4] = "";
    struct process_image image = { .console = 0 };
    process[1].image = &image;
    assert_int_equal(spawn_call_console_read(&thread[1], (uintptr_t)data, 4), -EAGAIN);
    for (const char *c = "abc"; *c; c++)
        process_input(&domains[0], (u8)*c);
    in_copy = begin_again;
    assert_int_equal(spawn_call_console_read(&thread[1], (uintptr_t)data, 4), 3);
    assert_string_equal(data, "abc");
    assert_int_equal(spawn_call_console_read(&thread[0], (uintptr_t)data, 0), 1);
    assert_int_equal(spawn_call_console_read(&thread[0], (uintptr_t)data, 4), 1);
    assert_int_equal(data[0], 'd');
    process[1].image = NULL;
}

/* Whoever reads, or does not: also where there is no room for a byte more. */
static void test_an_interrupt_is_counted_and_is_no_byte_that_is_read(void **state)
{
    struct process_image image = { .console = 0 };
    process[1].image = &image;
    u32 before = (u32)spawn_call_console_interrupts(&thread[1].user);
    for (unsigned i = 0; i < 300; i++)
        process_input(&domains[0], 'x');
    process_input(&domains[0], 3);
    process_input(&domains[0], 3);
    assert_int_equal((u32)spawn_call_console_interrupts(&thread[1].user), before + 2);
    assert_int_equal((u32)spawn_call_console_interrupts(&thread[0].user), before + 2);
    process[1].image = NULL;
    assert_int_equal(spawn_call_console_interrupts(&thread[1].user), 0); /* another console */
}

/* POSIX 11.1.9, INTR: who typed a line for a program that he then ends does not give it to the next reader. */
static void test_an_interrupt_drops_what_was_typed_before_it(void **state)
{
    char data[300];
    for (const char *c = "rm x\3"
                         "ls";
         *c; c++)
        process_input(&domains[0], (u8)*c);
    assert_int_equal(spawn_call_console_read(&thread[0], (uintptr_t)data, 300), 2);
    assert_memory_equal(data, "ls", 2);
}

static void type(unsigned n)
{
    while (n--)
        process_input(&domains[0], 'x');
}

static s64 read_typed(u32 n)
{
    char data[300];
    return spawn_call_console_read(&thread[0], (uintptr_t)data, n);
}

/* Who reads byte by byte does not hold the console again and again. */
static void test_the_console_is_held_when_the_ring_is_full_until_half_is_read(void **state)
{
    process_parts(&process[0], PROCESS_BEGINS);
    held = resumed = 0;
    type(255);
    assert_int_equal(held, 0);
    type(1);
    assert_int_equal(held, 1);
    assert_int_equal(read_typed(127), 127);
    type(200);
    assert_int_equal(held, 1);
    assert_int_equal(resumed, 0);
    assert_int_equal(read_typed(127), 127);
    assert_int_equal(resumed, 0);
    assert_int_equal(read_typed(1), 1);
    assert_int_equal(resumed, 1);
    type(128);
    assert_int_equal(held, 2);
    assert_int_equal(read_typed(300), 256);
    assert_int_equal(resumed, 2);
}

static void test_who_drops_what_was_typed_holds_no_more(void **state)
{
    held = resumed = 0;
    type(256);
    process_input(&domains[0], 3);
    assert_int_equal(resumed, 1);
    type(256);
    assert_int_equal(held, 2);
    process_parts(&process[0], PROCESS_BEGINS);
    assert_int_equal(resumed, 2);
}

static int setup(void **state)
{
    for (unsigned i = 0; i < PROCESSES; i++) {
        domains[i].id = i;
        domains[i].impl = &process[i];
        process[i].domain = &domains[i];
        thread[i].process = &process[i];
        assert_int_equal(process_parts(&process[i], PROCESS_MAPS), 0);
        assert_int_equal(process_parts(&process[i], PROCESS_BEGINS), 0);
    }
    return pipes_make(1, 0) || pipes_make(2, 0);
}

int main(void)
{
    static struct cpu core;
    host_core = &core;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_operations_answer_as_the_reference_does),
        cmocka_unit_test(test_a_pipe_is_passed_on_by_a_start_only),
        cmocka_unit_test(test_a_pipe_that_ends_gets_no_new_holder),
        cmocka_unit_test(test_a_pipe_that_ends_is_not_read_any_more),
        cmocka_unit_test(test_what_is_typed_for_the_next_run_is_not_read_by_the_last_one),
        cmocka_unit_test(test_an_interrupt_is_counted_and_is_no_byte_that_is_read),
        cmocka_unit_test(test_an_interrupt_drops_what_was_typed_before_it),
        cmocka_unit_test(test_the_console_is_held_when_the_ring_is_full_until_half_is_read),
        cmocka_unit_test(test_who_drops_what_was_typed_holds_no_more),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
