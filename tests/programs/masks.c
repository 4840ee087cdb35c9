/* SPDX-License-Identifier: MIT */
/*
 * masks.c - POSIX' signals (signal.h): sets, actions, masks, waits, threads and alarms, each rightly and wrongly. The
 * last line says whether all was right. It takes 4 threads.
 *
 * arguments: [masks] checks all; [masks, default] sends the process a signal that nobody handles, which ends it.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PROGRAM "masks"
#include "../../user/programs/must.h"

#define NOTES 8

static int notes[NOTES], n_notes; /* what handlers did, in their order */
static uint32_t place;            /* where another thread is */

static void note(int signal) { notes[__atomic_fetch_add(&n_notes, 1, __ATOMIC_ACQ_REL) % NOTES] = signal; }
static int noted(void) { return __atomic_load_n(&n_notes, __ATOMIC_ACQUIRE); }
static void forget(void) { __atomic_store_n(&n_notes, 0, __ATOMIC_RELEASE); }

static sigset_t only(int signal)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    return set;
}

static bool is_blocked(int signal)
{
    sigset_t mask;
    return pthread_sigmask(SIG_SETMASK, NULL, &mask) == 0 && sigismember(&mask, signal) == 1;
}

static void change(int how, int signal)
{
    sigset_t set = only(signal);
    MUST(sigprocmask(how, &set, NULL) == 0);
}

static void nap(void) { nanosleep(&(struct timespec){ 0, 1000000 }, NULL); }

static void begin(pthread_t *thread, void *(*function)(void *), void *arg)
{
    __atomic_store_n(&place, 0, __ATOMIC_RELEASE);
    MUST(!pthread_create(thread, NULL, function, arg));
    while (!__atomic_load_n(&place, __ATOMIC_ACQUIRE))
        nap();
}

static void sets(void)
{
    sigset_t s;
    MUST(sigemptyset(&s) == 0 && sigismember(&s, 5) == 0 && sigaddset(&s, 5) == 0 && sigismember(&s, 5) == 1);
    MUST(sigdelset(&s, 5) == 0 && sigismember(&s, 5) == 0 && sigfillset(&s) == 0 && sigismember(&s, SIGUSR2) == 1);
    const int bad[] = { 0, -1, NSIG, 1000 };
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        errno = 0;
        MUST(sigaddset(&s, bad[i]) == -1 && errno == EINVAL);
        MUST(sigdelset(&s, bad[i]) == -1 && sigismember(&s, bad[i]) == -1);
    }
}

/* Notes what is blocked as bits: of itself, and of SIGUSR2, which it sends. */
static void look(int signal)
{
    note(is_blocked(signal) + 2 * is_blocked(SIGUSR2));
    MUST(raise(SIGUSR2) == 0);
    note(signal);
}

static void inform(int signal, siginfo_t *info, void *context)
{
    MUST(info->si_signo == signal && info->si_code == SI_USER && info->si_pid == getpid() && !context);
    note(signal);
}

static void actions(void)
{
    struct sigaction a = { .sa_handler = look, .sa_mask = only(SIGUSR2) }, old;
    MUST(signal(SIGUSR2, note) == SIG_DFL && signal(SIGKILL, note) == SIG_ERR && signal(NSIG, note) == SIG_ERR);
    MUST(sigaction(SIGUSR1, &a, NULL) == 0 && sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler == look);
    MUST(sigaction(SIGSTOP, &a, NULL) == -1 && errno == EINVAL && sigaction(0, NULL, &old) == -1);
    MUST(kill(getpid(), SIGUSR1) == 0 && noted() == 3);
    MUST(notes[0] == 3 && notes[1] == SIGUSR1 && notes[2] == SIGUSR2 && !is_blocked(SIGUSR1));
    forget();
    a.sa_flags = SA_NODEFER;
    a.sa_mask = 0;
    MUST(sigaction(SIGUSR1, &a, NULL) == 0 && raise(SIGUSR1) == 0 && noted() == 3);
    MUST(notes[0] == 0 && notes[1] == SIGUSR2 && notes[2] == SIGUSR1);
    forget();
    a.sa_flags = SA_SIGINFO | SA_RESETHAND;
    a.sa_sigaction = inform;
    MUST(sigaction(SIGUSR1, &a, NULL) == 0 && raise(SIGUSR1) == 0 && noted() == 1);
    MUST(sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler == SIG_DFL);
    MUST(siginterrupt(SIGUSR2, 1) == 0 && sigaction(SIGUSR2, NULL, &old) == 0 && !(old.sa_flags & SA_RESTART));
    MUST(kill(getpid(), 0) == 0 && kill(getpid() + 1, SIGTERM) == -1 && errno == ESRCH);
    MUST(kill(getpid(), NSIG) == -1 && errno == EINVAL && raise(-1) == -1);
    MUST(raise(SIGCHLD) == 0 && kill(0, SIGURG) == 0 && signal(SIGTERM, SIG_IGN) == SIG_DFL && raise(SIGTERM) == 0);
}

static void masks(void)
{
    sigset_t set = only(SIGUSR1), pending;
    forget();
    MUST(signal(SIGUSR1, note) == SIG_DFL && pthread_sigmask(99, &set, NULL) == EINVAL);
    change(SIG_BLOCK, SIGUSR1);
    MUST(raise(SIGUSR1) == 0 && kill(getpid(), SIGUSR1) == 0 && noted() == 0);
    MUST(sigpending(&pending) == 0 && pending == set && is_blocked(SIGUSR1));
    change(SIG_UNBLOCK, SIGUSR1); /* one of the thread and one of the process */
    MUST(noted() == 2 && sigpending(&pending) == 0 && pending == 0);
    change(SIG_BLOCK, SIGUSR1);
    MUST(raise(SIGUSR1) == 0 && signal(SIGUSR1, SIG_IGN) == note && signal(SIGUSR1, note) == SIG_IGN);
    change(SIG_UNBLOCK, SIGUSR1);
    MUST(noted() == 2); /* it was discarded */
    MUST(sighold(SIGUSR1) == 0 && is_blocked(SIGUSR1) && sigrelse(SIGUSR1) == 0 && !is_blocked(SIGUSR1));
    MUST(sigset(SIGUSR1, SIG_HOLD) == note && sigset(SIGUSR1, note) == SIG_HOLD && sighold(NSIG) == -1);
    change(SIG_BLOCK, SIGKILL);
    MUST(!is_blocked(SIGKILL));
}

static void waits(void)
{
    struct timespec soon = { 0, 20000000 };
    sigset_t set = only(SIGUSR1), none = 0;
    siginfo_t info;
    int taken;
    forget();
    change(SIG_BLOCK, SIGUSR1);
    MUST(raise(SIGUSR1) == 0 && sigwait(&set, &taken) == 0 && taken == SIGUSR1);
    MUST(sigtimedwait(&set, &info, &soon) == -1 && errno == EAGAIN);
    MUST(kill(getpid(), SIGUSR1) == 0 && sigwaitinfo(&set, &info) == SIGUSR1 && info.si_signo == SIGUSR1);
    MUST(noted() == 0 && raise(SIGUSR1) == 0);
    MUST(sigsuspend(&none) == -1 && errno == EINTR && noted() == 1 && is_blocked(SIGUSR1));
    MUST(raise(SIGUSR1) == 0 && sigpause(SIGUSR1) == -1 && errno == EINTR && noted() == 2);
    change(SIG_UNBLOCK, SIGUSR1);
}

static sigjmp_buf back;

static void jump(int signal)
{
    note(signal);
    siglongjmp(back, 5);
}

/* A handler that leaves by a jump can be called again. */
static void jumps(void)
{
    forget();
    MUST(signal(SIGALRM, jump) == SIG_DFL);
    for (volatile int i = 1; i < 3; i++) {
        int from = sigsetjmp(back, 1);
        if (!from) {
            MUST(alarm(1) == 0);
            for (;;)
                pause();
        }
        MUST(from == 5 && !is_blocked(SIGALRM) && noted() == i);
    }
}

static void *sleeps(void *unused)
{
    struct timespec left = { 0 };
    __atomic_store_n(&place, 1, __ATOMIC_RELEASE);
    MUST(nanosleep(&(struct timespec){ 100, 0 }, &left) == -1 && errno == EINTR && left.tv_sec > 0);
    return unused;
}

static pthread_t handled_by;

static void tell(int signal)
{
    handled_by = pthread_self();
    note(signal);
}

static void *spins(void *unused)
{
    __atomic_store_n(&place, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&place, __ATOMIC_ACQUIRE) == 1)
        ;
    return unused;
}

static void *awaits(void *taken)
{
    sigset_t set = only(SIGUSR2);
    __atomic_store_n(&place, 1, __ATOMIC_RELEASE);
    MUST(is_blocked(SIGUSR2) && sigwait(&set, taken) == 0); /* the mask is its creator's */
    return NULL;
}

static void threads(void)
{
    pthread_t thread;
    int taken = 0;
    forget();
    MUST(signal(SIGUSR1, tell) == note);
    begin(&thread, sleeps, NULL);
    MUST(pthread_kill(thread, 0) == 0 && pthread_kill(thread, NSIG) == EINVAL);
    while (!noted()) { /* again, if it has come before the sleep */
        MUST(pthread_kill(thread, SIGUSR1) == 0);
        for (int i = 0; i < 100; i++)
            nap();
    }
    MUST(!pthread_join(thread, NULL) && pthread_equal(handled_by, thread));
    forget();
    begin(&thread, spins, NULL);
    change(SIG_BLOCK, SIGUSR1);
    MUST(kill(getpid(), SIGUSR1) == 0);
    while (!noted()) /* a thread that has it open takes what the caller blocks */
        nap();
    MUST(pthread_equal(handled_by, thread) && noted() == 1);
    __atomic_store_n(&place, 2, __ATOMIC_RELEASE);
    MUST(!pthread_join(thread, NULL) && kill(getpid(), SIGUSR1) == 0);
    nap();
    MUST(noted() == 1); /* nobody has it open */
    change(SIG_UNBLOCK, SIGUSR1);
    MUST(noted() == 2);
    change(SIG_BLOCK, SIGUSR2);
    for (int i = 0; i < 2; i++) {
        begin(&thread, awaits, &taken);
        MUST(i ? !kill(getpid(), SIGUSR2) : !pthread_kill(thread, SIGUSR2));
        MUST(!pthread_join(thread, NULL) && taken == SIGUSR2);
    }
}

/* A sleep goes on when a signal comes that is blocked or ignored. */
static void sleep_on(void)
{
    const struct timespec longer = { 1, 200000000 };
    forget();
    signal(SIGALRM, note);
    change(SIG_BLOCK, SIGALRM);
    MUST(alarm(1) == 0 && nanosleep(&longer, NULL) == 0 && noted() == 0);
    change(SIG_UNBLOCK, SIGALRM);
    MUST(noted() == 1 && signal(SIGALRM, SIG_IGN) == note);
    MUST(alarm(1) == 0 && nanosleep(&longer, NULL) == 0 && alarm(100) == 0 && alarm(0) == 100 && noted() == 1);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "default")) {
        printf(PROGRAM ": a signal that nobody handles");
        kill(getpid(), SIGTERM);
    }
    sets();
    actions();
    masks();
    waits();
    jumps();
    threads();
    sleep_on();
    puts(PROGRAM ": right");
    return 0;
}
