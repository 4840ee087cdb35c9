/* SPDX-License-Identifier: MIT */
/*
 * signal.h - signals of C and POSIX, in place of picolibc's: the same numbers, and what picolibc lacks.
 * docs/library.md says what is there. All functions that are declared here, but psignal(), may be called in handlers.
 *
 * A process sends signals to itself and its threads. No signal is queued: one that comes again before it is taken is
 * one. There are no real-time signals, and a fault of the program is none: it ends the process.
 */
#ifndef _SIGNAL_H_
#define _SIGNAL_H_
#define _SYS_SIGNAL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/_sigset.h>
#include <sys/_timespec.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SIGHUP    1
#define SIGINT    2
#define SIGQUIT   3
#define SIGILL    4
#define SIGTRAP   5
#define SIGABRT   6
#define SIGIOT    SIGABRT
#define SIGEMT    7
#define SIGFPE    8
#define SIGKILL   9
#define SIGBUS    10
#define SIGSEGV   11
#define SIGSYS    12
#define SIGPIPE   13
#define SIGALRM   14
#define SIGTERM   15
#define SIGURG    16
#define SIGSTOP   17
#define SIGTSTP   18
#define SIGCONT   19
#define SIGCHLD   20
#define SIGCLD    SIGCHLD
#define SIGTTIN   21
#define SIGTTOU   22
#define SIGIO     23
#define SIGPOLL   SIGIO
#define SIGXCPU   24
#define SIGXFSZ   25
#define SIGVTALRM 26
#define SIGPROF   27
#define SIGWINCH  28
#define SIGLOST   29
#define SIGUSR1   30
#define SIGUSR2   31
#define NSIG      32

typedef int sig_atomic_t;
#ifndef _SIGSET_T_DECLARED
#define _SIGSET_T_DECLARED
typedef __sigset_t sigset_t; /* bit n: signal n */
#endif
typedef struct amalgam_thread *pthread_t;

typedef void (*_sig_func_ptr)(int);
typedef _sig_func_ptr sighandler_t, sig_t;
#define SIG_DFL ((_sig_func_ptr)0)
#define SIG_IGN ((_sig_func_ptr)1)
#define SIG_ERR ((_sig_func_ptr)-1)

union sigval {
    int sival_int;
    void *sival_ptr;
};

typedef struct {
    int si_signo;
    int si_code;
    int si_errno; /* 0 */
    pid_t si_pid; /* this process */
    uid_t si_uid;
    int si_status;
    void *si_addr;
    long si_band;
    union sigval si_value;
} siginfo_t;

/* Of `si_code`: all are SI_USER. */
#define SI_USER    1
#define SI_QUEUE   2
#define SI_TIMER   3
#define SI_ASYNCIO 4
#define SI_MESGQ   5

struct sigaction {
    union {
        _sig_func_ptr sa_handler;
        void (*sa_sigaction)(int, siginfo_t *, void *); /* with SA_SIGINFO; the third argument is NULL */
    };
    sigset_t sa_mask; /* blocked while the handler runs */
    int sa_flags;
};

#define SA_NOCLDSTOP 0x1 /* there are no children */
#define SA_SIGINFO   0x2
#define SA_ONSTACK   0x4
#define SA_NOCLDWAIT 0x8
#define SA_RESTART   0x10 /* kept, and changes nothing: what waits says EINTR, or goes on anyhow */
#define SA_NODEFER   0x20
#define SA_RESETHAND 0x40

#define SIG_SETMASK 0
#define SIG_BLOCK   1
#define SIG_UNBLOCK 2

/* A stack for handlers of actions with SA_ONSTACK. What a signal has interrupted is kept on the stack that it has
 * interrupted, so this one is no help when that is full. */
typedef struct sigaltstack {
    void *ss_sp;
    int ss_flags;
    size_t ss_size;
} stack_t;
#define SS_ONSTACK  1
#define SS_DISABLE  2
#define MINSIGSTKSZ 4096
#define SIGSTKSZ    16384

/* For the functions that take it: there is no timer that sends a signal. */
struct sigevent {
    int sigev_notify;
    int sigev_signo;
    union sigval sigev_value;
    void (*sigev_notify_function)(union sigval);
    void *sigev_notify_attributes;
};
#define SIGEV_NONE   1
#define SIGEV_SIGNAL 2
#define SIGEV_THREAD 3

int sigemptyset(sigset_t *set);
int sigfillset(sigset_t *set);
/* EINVAL: there is no such signal. */
int sigaddset(sigset_t *set, int signal);
int sigdelset(sigset_t *set, int signal);
int sigismember(const sigset_t *set, int signal);

_sig_func_ptr signal(int signal, _sig_func_ptr handler);
int sigaction(int signal, const struct sigaction *__restrict action, struct sigaction *__restrict before);
int siginterrupt(int signal, int interrupts);
/* ENOMEM: it is smaller than MINSIGSTKSZ; EPERM: the thread is on it. */
int sigaltstack(const stack_t *__restrict stack, stack_t *__restrict before);

int raise(int signal);
/* ESRCH: it is not this process. */
int kill(pid_t process, int signal);
int killpg(pid_t group, int signal);
/* ESRCH: the thread has ended. */
int pthread_kill(pthread_t thread, int signal);

/* The calling thread's mask; one function by two names, of which the second returns the error. */
int sigprocmask(int how, const sigset_t *__restrict set, sigset_t *__restrict before);
int pthread_sigmask(int how, const sigset_t *__restrict set, sigset_t *__restrict before);
int sigpending(sigset_t *set);
int sigsuspend(const sigset_t *mask);
int sigwait(const sigset_t *__restrict set, int *__restrict signal);
int sigwaitinfo(const sigset_t *__restrict set, siginfo_t *__restrict info);
/* EAGAIN: the time is up. */
int sigtimedwait(const sigset_t *__restrict set, siginfo_t *__restrict info, const struct timespec *__restrict time);

/* Of System V (POSIX 2008, obsolescent). */
#define SIG_HOLD ((_sig_func_ptr)2)
_sig_func_ptr sigset(int signal, _sig_func_ptr handler);
int sighold(int signal);
int sigrelse(int signal);
int sigignore(int signal);
int sigpause(int signal);

void psignal(int signal, const char *text);

#ifdef __cplusplus
}
#endif
#endif
