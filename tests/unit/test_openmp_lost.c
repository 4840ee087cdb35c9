/* SPDX-License-Identifier: MIT */
/*
 * Every function of the OpenMP runtime is in one of four tables: it waits for another thread; programs poll with it;
 * neither; it is the runtime's own. A function that is in none fails the test. Each wait and poll is called by thread 0
 * of two, whose peer comes to nothing or has all locks. It ends the program when a kernel dies after its first look,
 * and when the program is stopped after it: a wait within a second of the processor, polls within 100,000.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define DEAD 1
#include <exported.h>
#include <lost.h>
#include <omp_threads.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <task.h>
#include <unistd.h>

#define LIMIT 60 /* seconds that a call may take beside others */

static long from, to, counts[2] = { 100, 100 }, word, result;
static uintptr_t clause[16] = { 0, 8, 8 };
static uintptr_t *data_with_clause = clause;
static u32 user_lock = 1;
static struct {
    u32 number, depth, reserved;
} nest_lock = { 1, 0, 0 };
static void *name;
static struct omp_task child;

static void function(void *data) {}

/* Thread 0 of two, outside of a region. */
static void outside(void) { omp_self.team = (struct omp_team){ .threads = 1 }; }

/* In a region of both. */
static void inside(void) { omp_self.team = (struct omp_team){ .threads = 2, .level = 1, .active = 1 }; }

/* In a region, and the other thread has all locks. */
static void held(void)
{
    struct omp_words *w = omp_self.words;
    inside();
    w->global.word = w->atomic.word = w->libc.word = w->tasks.lock = 1;
    for (u32 i = 0; i < HASHED; i++)
        w->hashed[i].word = 1;
    for (u32 i = 0; i < LOCKS; i++)
        w->lock[i].word = 1;
    for (u32 i = 0; i < WORKS; i++)
        w->work[i].lock = 1;
}

/* In a loop; `chunk` is the number of its chunk. */
static void in_loop(u32 schedule, u32 chunk)
{
    struct omp_work w = { .schedule = schedule, .chunk = 1, .trips = 100, .end = 100, .step = 1 };
    inside();
    omp_work_enter(&w);
    omp_self.chunk = chunk;
}

static void in_held_loop(void)
{
    in_loop(SCHEDULE_DYNAMIC, ~0u);
    held();
}

static void in_ordered_loop(void) { in_loop(SCHEDULE_DYNAMIC | SCHEDULE_ORDERED, 1); }
static void in_simple_loop(void) { in_loop(SCHEDULE_DYNAMIC, ~0u); }

static void in_doacross(void)
{
    inside();
    omp_self.nest = (struct omp_nest){ 1, { 100 } };
    struct omp_work w = { .schedule = SCHEDULE_STATIC | SCHEDULE_DOACROSS, .chunk = 1, .trips = 100 };
    omp_work_enter(&w);
}

/* The other thread runs a task of this one. */
static void with_child(void)
{
    inside();
    omp_self.task->children = 1;
    child.parent = omp_self.task;
}

static void in_group(void)
{
    static struct omp_group group = { .tasks = 1 };
    inside();
    group.reductions = clause;
    omp_self.task->group = &group;
}

/* The other thread has come first to a `single`, and works in it. */
static void in_single(void)
{
    inside();
    omp_self.words->work[1].number = 1;
    omp_self.words->work[1].left = 2;
}

static void cancelling(void)
{
    inside();
    omp_self.cancels = true;
}

static void cancelling_held(void)
{
    held();
    omp_self.cancels = true;
}

#define NONE (void *)0

/* All functions of the two kinds of loops, by schedule. */
#define CHUNKED(X, of)                                                                                                 \
    of(X, static) of(X, dynamic) of(X, guided) of(X, nonmonotonic_dynamic) of(X, nonmonotonic_guided)                  \
        of(X, ordered_static) of(X, ordered_dynamic) of(X, ordered_guided)
#define BY_RUNTIME(X, of)                                                                                              \
    of(X, runtime) of(X, nonmonotonic_runtime) of(X, maybe_nonmonotonic_runtime) of(X, ordered_runtime)
#define STARTS(X, s)                                                                                                   \
    X(GOMP_loop_##s##_start, held, 0l, 100l, 1l, 1l, &from, &to)                                                       \
    X(GOMP_loop_ull_##s##_start, held, true, 0l, 100l, 1l, 1l, &from, &to)
#define STARTS_BY_RUNTIME(X, s)                                                                                        \
    X(GOMP_loop_##s##_start, held, 0l, 100l, 1l, &from, &to)                                                           \
    X(GOMP_loop_ull_##s##_start, held, true, 0l, 100l, 1l, &from, &to)
#define NEXTS(X, s, in)                                                                                                \
    X(GOMP_loop_##s##_next, in, &from, &to)                                                                            \
    X(GOMP_loop_ull_##s##_next, in, &from, &to)
#define LOCKED_NEXTS(X, s)  NEXTS(X, s, in_held_loop)
#define ORDERED_NEXTS(X, s) NEXTS(X, s, in_ordered_loop)
#define DOACROSS_STARTS(X, s)                                                                                          \
    X(GOMP_loop_doacross_##s##_start, held, 1, counts, 1l, &from, &to)                                                 \
    X(GOMP_loop_ull_doacross_##s##_start, held, 1, counts, 1l, &from, &to)

#define ATOMIC(X, how, n, in) X(__atomic_##how##_##n, in, &word, 1l, 5)
#define ATOMICS(X, how, in)   ATOMIC(X, how, 1, in) ATOMIC(X, how, 2, in) ATOMIC(X, how, 4, in) ATOMIC(X, how, 8, in)
#define CHANGES(X, in)                                                                                                 \
    ATOMICS(X, fetch_add, in)                                                                                          \
    ATOMICS(X, fetch_sub, in)                                                                                          \
    ATOMICS(X, fetch_and, in)                                                                                          \
    ATOMICS(X, fetch_or, in)                                                                                           \
    ATOMICS(X, fetch_xor, in)                                                                                          \
    ATOMICS(X, fetch_nand, in)                                                                                         \
    ATOMICS(X, add_fetch, in)                                                                                          \
    ATOMICS(X, sub_fetch, in)                                                                                          \
    ATOMICS(X, and_fetch, in)                                                                                          \
    ATOMICS(X, or_fetch, in)                                                                                           \
    ATOMICS(X, xor_fetch, in)                                                                                          \
    ATOMICS(X, nand_fetch, in)                                                                                         \
    ATOMICS(X, exchange, in)
#define LOADS(X, n, in)    X(__atomic_load_##n, in, &word, 5)
#define COMPARES(X, n, in) X(__atomic_compare_exchange_##n, in, &word, &(long){ 1 }, 2l, 5, 5)
#define SIZES(X, of, in)   of(X, 1, in) of(X, 2, in) of(X, 4, in) of(X, 8, in)
#define STORES(X, n, in)   X(__atomic_store_##n, in, &word, 1l, 5)

/* Name, what comes before, arguments. A wait does not return. */
#define WAITS(X)                                                                                                       \
    X(GOMP_barrier, inside)                                                                                            \
    X(GOMP_barrier_cancel, inside)                                                                                     \
    X(GOMP_parallel, outside, function, NONE, 2, 0)                                                                    \
    X(GOMP_parallel_sections, outside, function, NONE, 2, 2, 0)                                                        \
    X(GOMP_parallel_reductions, outside, function, &data_with_clause, 2, 0)                                            \
    X(GOMP_parallel_loop_static, outside, function, NONE, 2, 0l, 9l, 1l, 1l, 0)                                        \
    X(GOMP_parallel_loop_dynamic, outside, function, NONE, 2, 0l, 9l, 1l, 1l, 0)                                       \
    X(GOMP_parallel_loop_guided, outside, function, NONE, 2, 0l, 9l, 1l, 1l, 0)                                        \
    X(GOMP_parallel_loop_nonmonotonic_dynamic, outside, function, NONE, 2, 0l, 9l, 1l, 1l, 0)                          \
    X(GOMP_parallel_loop_nonmonotonic_guided, outside, function, NONE, 2, 0l, 9l, 1l, 1l, 0)                           \
    X(GOMP_parallel_loop_runtime, outside, function, NONE, 2, 0l, 9l, 1l, 0)                                           \
    X(GOMP_parallel_loop_nonmonotonic_runtime, outside, function, NONE, 2, 0l, 9l, 1l, 0)                              \
    X(GOMP_parallel_loop_maybe_nonmonotonic_runtime, outside, function, NONE, 2, 0l, 9l, 1l, 0)                        \
    CHUNKED(X, STARTS)                                                                                                 \
    BY_RUNTIME(X, STARTS_BY_RUNTIME)                                                                                   \
    X(GOMP_loop_start, held, 0l, 9l, 1l, 2l, 1l, &from, &to, NONE, NONE)                                               \
    X(GOMP_loop_ordered_start, held, 0l, 9l, 1l, 2l, 1l, &from, &to, NONE, NONE)                                       \
    X(GOMP_loop_ull_start, held, true, 0l, 9l, 1l, 2l, 1l, &from, &to, NONE, NONE)                                     \
    X(GOMP_loop_ull_ordered_start, held, true, 0l, 9l, 1l, 2l, 1l, &from, &to, NONE, NONE)                             \
    LOCKED_NEXTS(X, dynamic)                                                                                           \
    LOCKED_NEXTS(X, guided)                                                                                            \
    LOCKED_NEXTS(X, nonmonotonic_dynamic)                                                                              \
    LOCKED_NEXTS(X, nonmonotonic_guided)                                                                               \
    LOCKED_NEXTS(X, runtime)                                                                                           \
    LOCKED_NEXTS(X, nonmonotonic_runtime)                                                                              \
    LOCKED_NEXTS(X, maybe_nonmonotonic_runtime)                                                                        \
    ORDERED_NEXTS(X, ordered_static)                                                                                   \
    ORDERED_NEXTS(X, ordered_dynamic)                                                                                  \
    ORDERED_NEXTS(X, ordered_guided)                                                                                   \
    ORDERED_NEXTS(X, ordered_runtime)                                                                                  \
    DOACROSS_STARTS(X, static)                                                                                         \
    DOACROSS_STARTS(X, dynamic)                                                                                        \
    DOACROSS_STARTS(X, guided)                                                                                         \
    X(GOMP_loop_doacross_runtime_start, held, 1, counts, &from, &to)                                                   \
    X(GOMP_loop_ull_doacross_runtime_start, held, 1, counts, &from, &to)                                               \
    X(GOMP_loop_doacross_start, held, 1, counts, 2l, 1l, &from, &to, NONE, NONE)                                       \
    X(GOMP_loop_ull_doacross_start, held, 1, counts, 2l, 1l, &from, &to, NONE, NONE)                                   \
    X(GOMP_doacross_wait, in_doacross, 1l)                                                                             \
    X(GOMP_doacross_ull_wait, in_doacross, 1l)                                                                         \
    X(GOMP_loop_end, in_simple_loop)                                                                                   \
    X(GOMP_loop_end_cancel, in_simple_loop)                                                                            \
    X(GOMP_loop_end_nowait, in_held_loop)                                                                              \
    X(GOMP_sections_start, held, 2)                                                                                    \
    X(GOMP_sections2_start, held, 2, NONE, NONE)                                                                       \
    X(GOMP_sections_next, in_held_loop)                                                                                \
    X(GOMP_sections_end, in_simple_loop)                                                                               \
    X(GOMP_sections_end_cancel, in_simple_loop)                                                                        \
    X(GOMP_sections_end_nowait, in_held_loop)                                                                          \
    X(GOMP_scope_start, held, NONE)                                                                                    \
    X(GOMP_single_start, held)                                                                                         \
    X(GOMP_single_copy_start, in_single)                                                                               \
    X(GOMP_single_copy_end, in_simple_loop, NONE)                                                                      \
    X(GOMP_ordered_start, in_ordered_loop)                                                                             \
    X(GOMP_critical_start, held)                                                                                       \
    X(GOMP_critical_name_start, held, &name)                                                                           \
    X(GOMP_atomic_start, held)                                                                                         \
    X(GOMP_task, with_child, function, NONE, NONE, 0l, 8l, true, 8u, NONE, 0, NONE)                                    \
    X(GOMP_taskwait, with_child)                                                                                       \
    X(GOMP_taskwait_depend, with_child, NONE)                                                                          \
    X(GOMP_taskgroup_end, in_group)                                                                                    \
    X(GOMP_taskloop, held, function, counts, NONE, 16l, 8l, 0, 2l, 0, 0l, 9l, 1l)                                      \
    X(GOMP_taskloop_ull, held, function, counts, NONE, 16l, 8l, 256, 2l, 0, 0l, 9l, 1l)                                \
    X(GOMP_workshare_task_reduction_unregister, in_group, false)                                                       \
    X(GOMP_cancel, cancelling_held, 1, true)                                                                           \
    X(GOMP_cancellation_point, cancelling_held, 8)                                                                     \
    X(omp_fulfill_event, held, &child)                                                                                 \
    X(omp_init_lock, held, &user_lock)                                                                                 \
    X(omp_init_lock_with_hint, held, &user_lock, 0)                                                                    \
    X(omp_init_nest_lock, held, &nest_lock)                                                                            \
    X(omp_init_nest_lock_with_hint, held, &nest_lock, 0)                                                               \
    X(omp_set_lock, held, &user_lock)                                                                                  \
    X(omp_set_nest_lock, held, &nest_lock)                                                                             \
    X(omp_set_affinity_format, held, "%n")                                                                             \
    X(omp_get_affinity_format, held, &word, 8l)                                                                        \
    X(omp_capture_affinity, held, &word, 8l, NONE)                                                                     \
    X(omp_display_affinity, held, NONE)                                                                                \
    X(__retarget_lock_acquire, held, NONE)                                                                             \
    X(__retarget_lock_acquire_recursive, held, NONE)                                                                   \
    CHANGES(X, held)                                                                                                   \
    SIZES(X, LOADS, held)                                                                                              \
    SIZES(X, STORES, held)                                                                                             \
    SIZES(X, COMPARES, held)                                                                                           \
    X(__atomic_load, held, 8l, &word, &result, 5)                                                                      \
    X(__atomic_store, held, 8l, &word, &result, 5)                                                                     \
    X(__atomic_exchange, held, 8l, &word, &result, &result, 5)                                                         \
    X(__atomic_compare_exchange, held, 8l, &word, &(long){ 1 }, &result, 5, 5)

/* Each is called again and again by a program that waits for another thread. */
#define POLLS_OF(X)                                                                                                    \
    X(omp_flush, inside)                                                                                               \
    X(omp_test_lock, held, &user_lock)                                                                                 \
    X(omp_test_nest_lock, held, &nest_lock)                                                                            \
    X(GOMP_cancellation_point, cancelling, 1)                                                                          \
    X(GOMP_cancel, cancelling, 1, false)                                                                               \
    X(GOMP_taskyield, inside)                                                                                          \
    CHANGES(X, inside)                                                                                                 \
    SIZES(X, LOADS, inside)                                                                                            \
    SIZES(X, COMPARES, inside)                                                                                         \
    X(__atomic_load, inside, 8l, &word, &result, 5)                                                                    \
    X(__atomic_exchange, inside, 8l, &word, &result, &result, 5)                                                       \
    X(__atomic_compare_exchange, inside, 8l, &word, &(long){ 1 }, &result, 5, 5)

/* Polls with a second call that gives back what the first one took. */
#define PAIRS(X)                                                                                                       \
    X(GOMP_critical_start, GOMP_critical_end)                                                                          \
    X(GOMP_critical_name_start, GOMP_critical_name_end)                                                                \
    X(GOMP_atomic_start, GOMP_atomic_end)                                                                              \
    X(omp_set_lock, omp_unset_lock)                                                                                    \
    X(omp_set_nest_lock, omp_unset_nest_lock)

/* On the board malloc() takes the C library's lock, which is in the tables. */
static const char *const neither[] = {
    "GOMP_alloc",
    "GOMP_free",
    "GOMP_critical_end",
    "GOMP_critical_name_end",
    "GOMP_atomic_end",
    "GOMP_ordered_end",
    "GOMP_doacross_post",
    "GOMP_doacross_ull_post",
    "GOMP_loop_static_next",
    "GOMP_loop_ull_static_next",
    "GOMP_task_reduction_remap",
    "GOMP_taskgroup_reduction_register",
    "GOMP_taskgroup_reduction_unregister",
    "GOMP_taskgroup_start",
    "GOMP_teams_reg",
    "__retarget_lock_close",
    "__retarget_lock_close_recursive",
    "__retarget_lock_init",
    "__retarget_lock_init_recursive",
    "__retarget_lock_release",
    "__retarget_lock_release_recursive",
    "omp_aligned_alloc",
    "omp_aligned_calloc",
    "omp_alloc",
    "omp_calloc",
    "omp_destroy_allocator",
    "omp_destroy_lock",
    "omp_destroy_nest_lock",
    "omp_display_env",
    "omp_free",
    "omp_get_active_level",
    "omp_get_ancestor_thread_num",
    "omp_get_cancellation",
    "omp_get_default_allocator",
    "omp_get_default_device",
    "omp_get_device_num",
    "omp_get_dynamic",
    "omp_get_initial_device",
    "omp_get_level",
    "omp_get_max_active_levels",
    "omp_get_max_task_priority",
    "omp_get_max_teams",
    "omp_get_max_threads",
    "omp_get_nested",
    "omp_get_num_devices",
    "omp_get_num_places",
    "omp_get_num_procs",
    "omp_get_num_teams",
    "omp_get_num_threads",
    "omp_get_partition_num_places",
    "omp_get_partition_place_nums",
    "omp_get_place_num",
    "omp_get_place_num_procs",
    "omp_get_place_proc_ids",
    "omp_get_proc_bind",
    "omp_get_schedule",
    "omp_get_supported_active_levels",
    "omp_get_team_num",
    "omp_get_team_size",
    "omp_get_teams_thread_limit",
    "omp_get_thread_limit",
    "omp_get_thread_num",
    "omp_get_wtick",
    "omp_get_wtime", /* what it waits for comes by itself */
    "omp_in_explicit_task",
    "omp_in_final",
    "omp_in_parallel",
    "omp_init_allocator",
    "omp_is_initial_device",
    "omp_pause_resource",
    "omp_pause_resource_all",
    "omp_realloc",
    "omp_set_default_allocator",
    "omp_set_default_device",
    "omp_set_dynamic",
    "omp_set_max_active_levels",
    "omp_set_nested",
    "omp_set_num_teams",
    "omp_set_num_threads",
    "omp_set_schedule",
    "omp_set_teams_thread_limit",
    "omp_unset_lock",
    "omp_unset_nest_lock",
};

static const char *const own[] = {
    "environment_read",
    "member_arguments",
    "member_begin",
    "member_find",
    "omp_barrier",
    "omp_clause_copies",
    "omp_clause_register",
    "omp_count",
    "omp_group_cancel",
    "omp_group_is_cancelled",
    "omp_loop",
    "omp_loop_next",
    "omp_loop_next_ull",
    "omp_loop_runtime",
    "omp_loop_scheduled",
    "omp_parallel",
    "omp_polled",
    "omp_parallel_reducing",
    "omp_rest",
    "omp_row_chunk",
    "omp_row_done",
    "omp_row_enter",
    "omp_row_leave",
    "omp_task_create",
    "omp_task_run",
    "omp_task_start",
    "omp_tasks_finish",
    "omp_tasks_run",
    "omp_team_size",
    "omp_work_enter",
    "omp_work_enter_with",
    "omp_work_leave",
    "omp_work_next",
    "omp_work_prepare",
    "omp_work_reset",
    "omp_worker",
    "omp_zeros",
};

struct call {
    const char *name;
    void (*before)(void);
    void (*fn)(void);
};

/* Declared without parameters: the arguments are what the compiler passes. */
#define CALL(name, before, ...)                                                                                        \
    long as_wait_##name() __asm__(#name);                                                                              \
    static void wait_##name(void) { as_wait_##name(__VA_ARGS__); }
WAITS(CALL)
#undef CALL
#define CALL(name, before, ...)                                                                                        \
    long as_poll_##name() __asm__(#name);                                                                              \
    static void poll_##name(void) { as_poll_##name(__VA_ARGS__); }
POLLS_OF(CALL)
#define CALLS(name, back)                                                                                              \
    long as_first_##name() __asm__(#name);                                                                             \
    long as_second_##name() __asm__(#back);                                                                            \
    static void first_##name(void)                                                                                     \
    {                                                                                                                  \
        as_first_##name(&nest_lock);                                                                                   \
        as_second_##name(&nest_lock);                                                                                  \
    }
PAIRS(CALLS)
#define WAIT(name, before, ...) { #name, before, wait_##name },
#define POLL(name, before, ...) { #name, before, poll_##name },
#define PAIR(name, back)        { #name " and " #back, inside, first_##name },
static const struct call waits[] = { WAITS(WAIT) }, polls[] = { POLLS_OF(POLL) PAIRS(PAIR) };

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool is_named(const char *function)
{
    bool found = false;
    for (size_t i = 0; i < COUNT(waits); i++)
        found |= !strcmp(waits[i].name, function);
    for (size_t i = 0; i < COUNT(polls); i++)
        found |= !strcmp(polls[i].name, function);
    for (size_t i = 0; i < COUNT(neither); i++)
        found |= !strcmp(neither[i], function);
    for (size_t i = 0; i < COUNT(own); i++)
        found |= !strcmp(own[i], function);
    return found;
}

static void end(int status) { _exit(status); }

static _Noreturn void run(const struct call *c, unsigned times)
{
    static volatile u32 line;
    static struct omp_task task;
    struct native_calls calls = omp_host_calls(0, &line);
    calls.exit = end;
    member_begin(&calls, 0, 2, &task);
    omp_self.words->n_locks = 1;
    c->before();
    fclose(stdout);
    looks = 0;
    omp_asks = look;
    omp_rests = look_and_rest;
    setitimer(ITIMER_VIRTUAL, &(struct itimerval){ .it_value.tv_sec = 1 + (times > 1) }, NULL);
    alarm(LIMIT);
    while (times--)
        c->fn();
    _exit(ANSWERED);
}

static void call_each(const struct call *calls, size_t n, unsigned times)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < 2 * n; i++) {
        const struct call *c = &calls[i / 2];
        int how;
        stops = i % 2;
        fflush(stderr);
        pid_t pid = fork();
        if (!pid)
            run(c, times);
        assert_int_equal(waitpid(pid, &how, 0), pid);
        wrong += !ended(c->name, WIFEXITED(how) ? WEXITSTATUS(how) : WTERMSIG(how));
    }
    assert_int_equal(wrong, 0);
}

static void each_wait_ends_when_a_kernel_dies_or_the_program_is_stopped(void **state)
{
    call_each(waits, COUNT(waits), 1);
}

static void each_poll_ends_when_a_kernel_dies_or_the_program_is_stopped(void **state)
{
    call_each(polls, COUNT(polls), TIMES);
}

static void each_function_is_a_wait_a_poll_or_neither(void **state)
{
    unsigned known;
    assert_int_equal(exported_unknown("/user/openmp/", is_named, &known), 0);
    assert_true(known >= COUNT(waits) + COUNT(neither));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_function_is_a_wait_a_poll_or_neither),
        cmocka_unit_test(each_wait_ends_when_a_kernel_dies_or_the_program_is_stopped),
        cmocka_unit_test(each_poll_ends_when_a_kernel_dies_or_the_program_is_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
