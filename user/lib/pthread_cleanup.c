/* SPDX-License-Identifier: MIT */
/* pthread_cleanup.c - pthread_cleanup_push() and pthread_cleanup_pop(), whose list pthread_exit() finds by
 * thread_leave; and the states of cancellation, which are kept also where no thread is cancelled. */
#include <errno.h>
#include <pthread.h>

#include "cancel.h"
#include "thread.h"

static _Thread_local struct amalgam_cleanup *last;
_Thread_local int cancel_state = PTHREAD_CANCEL_ENABLE, cancel_type = PTHREAD_CANCEL_DEFERRED;

void amalgam_cleanup_pop(struct amalgam_cleanup *c, int execute)
{
    last = c->before;
    if (execute)
        c->routine(c->argument);
}

static void run_all(void)
{
    while (last)
        amalgam_cleanup_pop(last, 1);
}

void amalgam_cleanup_push(struct amalgam_cleanup *c, void (*routine)(void *), void *argument)
{
    *c = (struct amalgam_cleanup){ routine, argument, last };
    last = c;
    thread_leave_by(LEAVE_CLEANUPS, run_all);
}

/* What is due by now is done at once if the thread is cancelled asynchronously. */
static int set(int *kept, int value, int *old)
{
    if (value != 0 && value != 1)
        return EINVAL;
    if (old)
        *old = *kept;
    *kept = value;
    if (cancel_type == PTHREAD_CANCEL_ASYNCHRONOUS)
        cancel_test();
    return 0;
}

int pthread_setcancelstate(int state, int *old) { return set(&cancel_state, state, old); }
int pthread_setcanceltype(int type, int *old) { return set(&cancel_type, type, old); }
void pthread_testcancel(void) { cancel_test(); }
