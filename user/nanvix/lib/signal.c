/* SPDX-License-Identifier: MIT */
/* signal.c - signals and exceptions, as far as a kernel that stops a process at its first fault allows. */
#include <nanvix/sys/excp.h>
#include <nanvix/sys/signal.h>

#include "nanvix.h"

static void (*handler[SIGNALS_NUM])(void *);

int nanvix_signal_control(int signum, const struct ksigaction *action)
{
    if (!action)
        return -EAGAIN;
    if (!WITHIN(signum, 0, SIGNALS_NUM))
        return -EINVAL;
    __atomic_store_n(&handler[signum], action->handler, __ATOMIC_RELAXED);
    return 0;
}

int nanvix_signal_alarm(int seconds) { return seconds < 0 ? -EINVAL : -ENOSYS; }
int nanvix_signal_send(int signum, int tid) { return !WITHIN(signum, 0, SIGNALS_NUM) || tid < 0 ? -EINVAL : -ENOSYS; }
int nanvix_signal_wait(int signum) { return WITHIN(signum, 0, SIGNALS_NUM) ? -ENOSYS : -EINVAL; }

int ksigctl(int signum, struct ksigaction *action) { return nanvix_answer(nanvix_signal_control(signum, action)); }
int kalarm(int seconds) { return nanvix_answer(nanvix_signal_alarm(seconds)); }
int ksigsend(int signum, int tid) { return nanvix_answer(nanvix_signal_send(signum, tid)); }
int ksigwait(int signum) { return nanvix_answer(nanvix_signal_wait(signum)); }
int ksigreturn(void) { return nanvix_answer(-ENOSYS); }

int excp_ctrl(int excpnum, int action)
{
    bool known = action == EXCP_ACTION_IGNORE || action == EXCP_ACTION_HANDLE;
    return exception_is_valid(excpnum) && known ? -ENOSYS : -EINVAL;
}

int excp_pause(struct exception *excp)
{
    (void)excp;
    return -ENOSYS;
}

int excp_resume(void) { return -ENOSYS; }
