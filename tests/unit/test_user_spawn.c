/* SPDX-License-Identifier: MIT */
/*
 * posix_spawn() and waitpid() of a process (user/lib) while other threads close pipes and look for what has ended. What
 * another thread does comes where the calls of the kernel are: it takes the lock of the files if that is free.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <amalgam/spawn.h>

#include "cancel.h"
#include "children.h"
#include "outside.h"
#include "signals.h"
#include "spawn_actions.h"

#define PIPE  7
#define CHILD 16

struct open_file *files_numbers[MOST_OPEN];
const struct files_outside *files_outside;
const struct cancel_hooks *cancel_hooks;
int (*pipe_outside)(int ends[2], int flags);
int (*kill_other)(pid_t process, int signal);

static const struct file_kind pipe_kind;
static struct open_file file;
static bool locked, pipe_lives, child_lives, runs; /* runs: it does not end by itself */
static void (*other_thread)(void);                 /* what it does, once, */
static uintptr_t when;                             /* at this call, if nobody has the lock */
static pid_t seen;

void amalgam_inherit(void) {}
void outside_begin(void) {}
const struct spawn_action *spawn_first_action(const posix_spawn_file_actions_t *of) { return NULL; }
int64_t files_result(int64_t result) { return result < 0 ? (errno = (int)-result, -1) : result; }
uint32_t files_changes(void) { return 0; }
int outside_pipe_handle(const struct open_file *f) { return f->kind == &pipe_kind ? PIPE : -1; }
int outside_pipe_make(int ends[2], int flags) { return -ENOSYS; }

static unsigned interrupts, seen_interrupts, killed_by;

bool outside_interrupted(void)
{
    bool is = interrupts != seen_interrupts;
    seen_interrupts = interrupts;
    return is;
}

/* Somebody types ^C, twice at most; what was killed ends. */
int files_wait(uint32_t since, uint64_t deadline)
{
    if (killed_by)
        return 0;
    if (interrupts == 2)
        fail_msg("nothing wakes who waits");
    interrupts++;
    return 0;
}

void files_enter(void)
{
    assert_false(locked);
    locked = true;
}

void files_leave(void)
{
    assert_true(locked);
    locked = false;
}

void files_drop(struct open_file *f)
{
    assert_true(locked && f->held);
    if (!--f->held)
        pipe_lives = false;
}

static void others_run(uintptr_t call)
{
    void (*run)(void) = other_thread;
    if (!run || locked || call != when)
        return;
    other_thread = NULL;
    run();
}

int64_t host_call(uintptr_t number, const uintptr_t a[4])
{
    const struct amalgam_program *p;
    if (number != AMALGAM_SPAWN_START)
        others_run(number);
    switch (number) {
    case AMALGAM_MAP: return (int64_t)(uintptr_t)aligned_alloc(4096, a[1]);
    case AMALGAM_UNMAP: free((void *)a[0]); return 0;
    case AMALGAM_HANDLE_MEMORY: return 9;
    case AMALGAM_SPAWN_START:
        p = (const struct amalgam_program *)a[0];
        for (unsigned i = 0; i < p->n_handles; i++)
            assert_true(p->handle[i] != PIPE || pipe_lives);
        child_lives = true;
        others_run(number); /* it runs, and has ended */
        return CHILD;
    case AMALGAM_SPAWN_WAIT:
        if (runs)
            return killed_by ? (int64_t)AMALGAM_SPAWN_KILLED * 256 + killed_by : -AMALGAM_EAGAIN;
        return child_lives ? (int64_t)AMALGAM_SPAWN_EXITED * 256 + 42 : -AMALGAM_ENOENT;
    case AMALGAM_SPAWN_KILL:
        assert_int_equal(a[0], CHILD);
        killed_by = (unsigned)a[1];
        return 0;
    default: return 0;
    }
}

static int start(void)
{
    pid_t child = 0;
    int error = posix_spawn(&child, "/bin/true", NULL, NULL, (char *[]){ "true", NULL }, NULL);
    assert_true(error || child == CHILD);
    return error;
}

static void close_pipe(void)
{
    files_enter();
    files_numbers[5] = NULL;
    files_drop(&file);
    files_leave();
}

static void a_pipe_that_another_thread_closes_is_the_programs_until_it_has_it(void **state)
{
    file = (struct open_file){ .kind = &pipe_kind, .held = 1, .flags = O_WRONLY };
    files_numbers[5] = &file;
    pipe_lives = true;
    other_thread = close_pipe;
    when = AMALGAM_HANDLE_MEMORY;
    assert_int_equal(start(), 0);
    assert_null(other_thread);
    assert_false(pipe_lives);
    int status;
    assert_int_equal(waitpid(-1, &status, 0), CHILD);
}

static void look(void)
{
    int status;
    seen = waitpid(-1, &status, WNOHANG);
}

static void a_program_that_ends_at_once_is_found_by_who_looks_then(void **state)
{
    child_lives = false;
    other_thread = look;
    when = AMALGAM_SPAWN_START;
    assert_int_equal(start(), 0);
    if (other_thread) /* it had to wait until the start was over */
        look();
    assert_int_equal(seen, CHILD);
}

static void what_is_waited_for_by_its_number_ends_by_an_interrupt(void **state)
{
    int how;
    other_thread = NULL;
    runs = true;
    interrupts = seen_interrupts = killed_by = 0;
    assert_int_equal(start(), 0);
    assert_int_equal(waitpid(-1, &how, 0), -1); /* a wait for any of them ends, and none of them does */
    assert_int_equal(errno, EINTR);
    assert_int_equal(killed_by, 0);
    assert_int_equal(waitpid(CHILD, &how, 0), CHILD);
    assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGINT);
    runs = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pipe_that_another_thread_closes_is_the_programs_until_it_has_it),
        cmocka_unit_test(a_program_that_ends_at_once_is_found_by_who_looks_then),
        cmocka_unit_test(what_is_waited_for_by_its_number_ends_by_an_interrupt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
