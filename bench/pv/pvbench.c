/* SPDX-License-Identifier: MIT */
/*
 * pvbench - fixed jobs for a guest whose KVM features are measured.
 *   pvbench [CPUS]
 * Each phase says `pv NAME ready`, spins until a byte comes on stdin, does its job, says
 * `pv NAME TICKS` and spins again: the host reads its counters meanwhile. It spins
 * because an idle board under icount leaps through time while the host thinks.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "bench.h"

#define FORKS  100
#define ROUNDS 10
#define IPIS   50 /* one saves an exit; the timer's exits move by some dozens from run to run */
#define PINGS  300
#define BUSY   300000000ul /* ticks */
#define IDLE   5           /* seconds */

static unsigned cpus;
static volatile int stop, running, word[2];

static void pin(unsigned cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof(set), &set);
}

static void *spin(void *cpu)
{
    pin((unsigned)(uintptr_t)cpu);
    __atomic_add_fetch(&running, 1, __ATOMIC_SEQ_CST);
    while (!stop)
        ;
    return NULL;
}

/* Threads of ours in user mode on processors 1..n-1 while `job` runs. */
static void among_spinners(unsigned n, void (*job)(void))
{
    pthread_t t[64];
    stop = running = 0;
    for (unsigned i = 1; i < n; i++)
        pthread_create(&t[i], NULL, spin, (void *)(uintptr_t)i);
    while (running + 1 < (int)n)
        sched_yield();
    job();
    stop = 1;
    for (unsigned i = 1; i < n; i++)
        pthread_join(t[i], NULL);
}

static void nothing(void) {}

static void idle(void) { sleep(IDLE); }

static void spin_long(void)
{
    uint64_t end = rdtsc() + BUSY;
    while (rdtsc() < end)
        ;
}

static void busy(void) { among_spinners(cpus, spin_long); }

static void forks(void)
{
    for (int i = 0; i < FORKS; i++) {
        pid_t p = fork();
        if (p == 0)
            _exit(0);
        waitpid(p, NULL, 0);
    }
}

/* Each munmap() of a touched page makes the others forget it. */
static void unmaps(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        *p = 1;
        munmap(p, 4096);
    }
}

static void flushes(void) { among_spinners(cpus, unmaps); }

/* Each interrupts those that run us and waits until they have seen it. */
static void barriers(void)
{
    for (int i = 0; i < IPIS; i++)
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

/* All but the last: an interrupt to *all* others is one write to the x2APIC, with the feature or without. */
static void ipis(void) { among_spinners(cpus - 1, barriers); }

static void take(volatile int *w)
{
    while (!*w)
        syscall(SYS_futex, w, FUTEX_WAIT_PRIVATE, 0, NULL);
    *w = 0;
}

static void give(volatile int *w)
{
    *w = 1;
    syscall(SYS_futex, w, FUTEX_WAKE_PRIVATE, 1);
}

static void *answer(void *unused)
{
    pin(1);
    for (int i = 0; i < PINGS; i++) {
        take(&word[0]);
        give(&word[1]);
    }
    return unused;
}

static void pingpong(void)
{
    pthread_t t;
    pthread_create(&t, NULL, answer, NULL);
    for (int i = 0; i < PINGS; i++) {
        give(&word[0]);
        take(&word[1]);
    }
    pthread_join(t, NULL);
}

/* Without sleeping; the terminal is in raw mode. */
static void await_host(void)
{
    char c;
    while (read(0, &c, 1) != 1)
        ;
}

static void phase(const char *name, void (*job)(void))
{
    printf("pv %s ready\n", name);
    await_host();
    uint64_t t0 = rdtsc();
    job();
    uint64_t t1 = rdtsc();
    printf("pv %s %lu\n", name, t1 - t0);
    await_host();
}

int main(int argc, char **argv)
{
    uint64_t boot = rdtsc();
    struct termios raw;
    cpus = argc > 1 ? atoi(argv[1]) : 4;
    if (cpus < 4 || cpus > 64) /* `ipi` means two others, and not all */
        return 2;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!tcgetattr(0, &raw)) {
        cfmakeraw(&raw);
        raw.c_oflag |= OPOST | ONLCR;
        tcsetattr(0, TCSANOW, &raw);
    }
    fcntl(0, F_SETFL, fcntl(0, F_GETFL) | O_NONBLOCK);
    printf("pv boot %lu\n", boot);
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0))
        perror("pvbench: membarrier");
    phase("nothing", nothing);
    phase("idle", idle);
    phase("forks", forks);
    pin(0);
    phase("pingpong", pingpong);
    phase("busy", busy);
    phase("flush", flushes);
    phase("ipi", ipis);
    printf("pv done\n");
    return 0;
}
