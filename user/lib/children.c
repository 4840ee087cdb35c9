/* SPDX-License-Identifier: MIT */
/*
 * children.c - waitpid(), wait(), and kill() of what was started. ^C at the console ends the one that is waited for by
 * its number, by SIGINT, as a terminal does with what is in front; a wait for any of them fails by it (EINTR).
 */
#include "children.h"

#include <amalgam/spawn.h>
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "cancel.h"
#include "outside.h"
#include "signals.h"

#define MOST 16 /* domains of a system */

static pid_t children[MOST]; /* 0: none; with the lock of the process's files */

/* POSIX has no name for how else something may end: as if it was killed. */
static int status_of(uint32_t answer)
{
    uint32_t number = answer & 0xff;
    switch (answer >> 8) {
    case AMALGAM_SPAWN_EXITED: return (int)(number << 8);
    case AMALGAM_SPAWN_KILLED: return number ? (int)(number & 0x7f) : SIGKILL;
    case AMALGAM_SPAWN_FAULT: return SIGSEGV;
    default: return SIGKILL;
    }
}

/* With the lock. Look whether one of them has ended. Returns its number; 0: none; -ECHILD: there is none. */
static pid_t look(pid_t wanted, int *status)
{
    pid_t found = -ECHILD;
    for (int i = 0; i < MOST; i++) {
        pid_t child = children[i];
        if (!child || (wanted > 0 && wanted != child))
            continue;
        int64_t answer = amalgam_spawn_wait((uint32_t)child);
        if (answer == -AMALGAM_EAGAIN) {
            found = 0;
            continue;
        }
        children[i] = 0;
        if (status)
            *status = answer < 0 ? SIGKILL : status_of((uint32_t)answer);
        return child;
    }
    return found;
}

/* With the lock. Returns 0 or -EINTR. */
static int interrupt(pid_t wanted)
{
    if (!outside_interrupted())
        return 0;
    amalgam_console_write("^C\n", 3);
    return wanted > 0 && amalgam_spawn_kill((uint32_t)wanted, SIGINT) == 0 ? 0 : -EINTR;
}

pid_t waitpid(pid_t wanted, int *status, int options)
{
    pid_t child;
    int error = 0;
    cancel_test();
    if (options & ~(WNOHANG | WUNTRACED))
        return (pid_t)files_result(-EINVAL);
    files_enter();
    for (;;) {
        uint32_t seen = files_changes();
        child = look(wanted, status);
        if (child || error || options & WNOHANG)
            break;
        error = interrupt(wanted);
        if (!error)
            error = files_wait(seen, AMALGAM_NEVER);
    }
    files_leave();
    return (pid_t)files_result(child || !error ? child : error);
}

pid_t wait(int *status) { return waitpid(-1, status, 0); }

static int kill_child(pid_t child, int signal)
{
    bool is_ours = false;
    files_enter();
    for (int i = 0; i < MOST; i++)
        is_ours |= child > 0 && children[i] == child;
    if (is_ours && signal)
        amalgam_spawn_kill((uint32_t)child, (unsigned)signal);
    files_leave();
    return is_ours ? 0 : ESRCH;
}

/* A pipe that is made before the first program is started may be for that. */
__attribute__((constructor(101))) static void begin(void)
{
    outside_begin();
    pipe_outside = outside_pipe_make;
    kill_other = kill_child;
}

void children_add(pid_t child)
{
    for (int i = 0; i < MOST; i++)
        if (!children[i]) {
            children[i] = child;
            break;
        }
}
