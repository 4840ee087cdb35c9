/* SPDX-License-Identifier: MIT */
/*
 * peerbench - measures common operations in a Linux guest (Tables I to III of the MetalSVM paper, and the hourglass of
 * its Fig. 3), in TSC ticks. peerbench [all|tables|clock|calls|memory|switch|hourglass|jacobi] [N] Prints lines `bench
 * NAME MIN MEDIAN N`. It pins itself to CPU 0 and changes the scheduler's settings, so use it only in guests and test
 * systems.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define WARM 8

/* Shared with children. */
static struct shared {
    volatile uint64_t stamp; /* the last reading of the process that ran last */
    volatile int who, stop, go, word[2];
    unsigned n;
    uint64_t sample[MAX_SAMPLES];
} * shared;

static unsigned count = 1000;
static uint64_t overhead;

static void report(const char *name, unsigned n, unsigned per) { bench_report(name, shared->sample, n, overhead, per); }

#define MEASURE(name, n, action)                                                                                       \
    do {                                                                                                               \
        unsigned n_ = (n);                                                                                             \
        for (int i = -WARM; i < (int)n_; i++) {                                                                        \
            uint64_t t0 = rdtsc();                                                                                     \
            action;                                                                                                    \
            uint64_t t1 = rdtsc();                                                                                     \
            if (i >= 0)                                                                                                \
                shared->sample[i] = t1 - t0;                                                                           \
        }                                                                                                              \
        report(name, n_, 1);                                                                                           \
    } while (0)

static void pin(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    sched_setaffinity(0, sizeof(set), &set);
}

static void policy(int which, int priority)
{
    struct sched_param p = { .sched_priority = priority };
    if (sched_setscheduler(0, which, &p))
        perror("peerbench: sched_setscheduler");
}

static void set_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

static void reset_shared(void)
{
    shared->stamp = 0;
    shared->who = -1;
    shared->stop = shared->go = shared->word[0] = shared->word[1] = 0;
    shared->n = 0;
}

/* --- calls and processes --------------------------------------------------------- */
static void *nothing(void *unused) { return unused; }

static void bench_calls(void)
{
    unsigned few = count < 500 ? count : 500;
    MEASURE("getpid", count, syscall(SYS_getpid));
    MEASURE("sched-yield-alone", count, sched_yield());
    MEASURE("fork", few, {
        pid_t p = fork();
        if (p == 0)
            _exit(0);
        waitpid(p, NULL, 0);
    });
    MEASURE("vfork", few, {
        pid_t p = vfork();
        if (p == 0)
            _exit(0);
        waitpid(p, NULL, 0);
    });
    MEASURE("pthread-create", few, {
        pthread_t t;
        pthread_create(&t, NULL, nothing, NULL);
        pthread_join(t, NULL);
    });
}

/* --- memory ------------------------------------------------------------------------ */
static volatile uint64_t handler_at;
static char *page;

static void on_segv(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info, (void)context;
    handler_at = rdtsc();
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void bench_memory(void)
{
    size_t length = (size_t)(count + WARM) * 4096;
    char *area = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED) {
        perror("peerbench: mmap");
        return;
    }
    madvise(area, length, MADV_NOHUGEPAGE);
    MEASURE("page-fault", count, *(volatile char *)(area + (size_t)(i + WARM) * 4096) = 1);
    munmap(area, length);
    MEASURE("mmap-munmap", count, munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096));

    static uint64_t entry[MAX_SAMPLES];
    struct sigaction action = { .sa_sigaction = on_segv, .sa_flags = SA_SIGINFO };
    sigaction(SIGSEGV, &action, NULL);
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *page = 1;
    for (int i = -WARM; i < (int)count; i++) {
        mprotect(page, 4096, PROT_READ);
        uint64_t t0 = rdtsc();
        *(volatile char *)page = 1;
        uint64_t t1 = rdtsc();
        if (i >= 0) {
            shared->sample[i] = t1 - t0;
            entry[i] = handler_at - t0;
        }
    }
    signal(SIGSEGV, SIG_DFL);
    report("segv-repair", count, 1);
    memcpy(shared->sample, entry, sizeof(entry));
    report("segv-to-handler", count, 1);
}

/* --- switches ------------------------------------------------------------------------- */
/* Both sides run this. A sample is the time from one side's yield to the other's next reading of the clock. */
static void yield_side(int me)
{
    while (!shared->go)
        sched_yield();
    while (!shared->stop) {
        uint64_t now = rdtsc();
        if (shared->who == !me && shared->n < count)
            shared->sample[shared->n++] = now - shared->stamp;
        if (shared->n >= count)
            shared->stop = 1;
        shared->who = me;
        shared->stamp = rdtsc();
        sched_yield();
    }
}

static void *yield_thread(void *unused)
{
    pin();
    yield_side(1);
    return unused;
}

static void yield_threads(const char *name)
{
    pthread_t t;
    reset_shared();
    pthread_create(&t, NULL, yield_thread, NULL);
    shared->go = 1;
    yield_side(0);
    pthread_join(t, NULL);
    report(name, shared->n, 1);
}

static void yield_processes(const char *name)
{
    reset_shared();
    pid_t p = fork();
    if (p == 0) {
        yield_side(1);
        _exit(0);
    }
    shared->go = 1;
    yield_side(0);
    waitpid(p, NULL, 0);
    report(name, shared->n, 1);
}

static void pipes(const char *name)
{
    int to[2], from[2];
    char c = 0;
    if (pipe(to) || pipe(from))
        return;
    pid_t p = fork();
    if (p == 0) {
        close(to[1]);
        while (read(to[0], &c, 1) == 1 && write(from[1], &c, 1) == 1)
            ;
        _exit(0);
    }
    for (int i = -WARM; i < (int)count; i++) {
        uint64_t t0 = rdtsc();
        if (write(to[1], &c, 1) != 1 || read(from[0], &c, 1) != 1)
            break;
        if (i >= 0)
            shared->sample[i] = rdtsc() - t0;
    }
    close(to[1]);
    close(to[0]);
    close(from[0]);
    close(from[1]);
    waitpid(p, NULL, 0);
    report(name, count, 2);
}

static void futex_wait(volatile int *word)
{
    while (!*word)
        syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 0, NULL);
    *word = 0;
}

static void futex_wake(volatile int *word)
{
    *word = 1;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1);
}

static void *futex_thread(void *unused)
{
    pin();
    for (;;) {
        futex_wait(&shared->word[0]);
        if (shared->stop)
            return unused;
        futex_wake(&shared->word[1]);
    }
}

static void futexes(const char *name)
{
    pthread_t t;
    reset_shared();
    pthread_create(&t, NULL, futex_thread, NULL);
    for (int i = -WARM; i < (int)count; i++) {
        uint64_t t0 = rdtsc();
        futex_wake(&shared->word[0]);
        futex_wait(&shared->word[1]);
        if (i >= 0)
            shared->sample[i] = rdtsc() - t0;
    }
    shared->stop = 1;
    futex_wake(&shared->word[0]);
    pthread_join(t, NULL);
    report(name, count, 2);
}

static void bench_switch(void)
{
    policy(SCHED_FIFO, 50);
    yield_threads("yield-threads");
    yield_processes("yield-processes");
    pipes("pipe");
    futexes("futex");
    policy(SCHED_OTHER, 0);
}

/* --- hourglass ---------------------------------------------------------------------------- */
/*
 * Two equal tasks read the clock all the time; a step between two readings of different tasks is a switch. One word
 * holds both the time and the task (bit 0), because a task may lose the CPU between any two stores. A task that lost it
 * between its reading and its store stores an old time under its own number; the next reading does not count that as a
 * switch.
 */
#define GAP    100
#define PHASES 29

static void hourglass_side(unsigned me, unsigned n)
{
    while (!shared->go)
        sched_yield();
    shared->stamp = rdtsc() << 1 | me;
    while (!shared->stop) {
        uint64_t now = rdtsc(), stamp = shared->stamp;
        if (stamp >> 1 > now) /* we lost the CPU between the two: our reading is older than the other task's run */
            now = rdtsc();
        uint64_t gap = now - (stamp >> 1);
        if (gap > GAP) {
            if ((stamp & 1) != me && shared->n < n)
                shared->sample[shared->n++] = gap;
            if (shared->n >= n)
                shared->stop = 1;
            for (unsigned i = shared->n % PHASES; i;
                 i--) /* shift the phase, because under icount the time slice is a multiple of the loop */
                __asm__ volatile("pause");
            now = rdtsc();
        }
        shared->stamp = now << 1 | me;
    }
}

static unsigned hourglass_n;

static void *hourglass_thread(void *unused)
{
    pin();
    hourglass_side(1, hourglass_n);
    return unused;
}

static void bench_hourglass(void)
{
    pthread_t t;
    hourglass_n = count < 2000 ? count : 2000;
    set_file("/proc/sys/kernel/sched_rt_runtime_us", "-1");
    set_file("/proc/sys/kernel/sched_rr_timeslice_ms", "8");
    policy(SCHED_RR, 50);
    reset_shared();
    pthread_create(&t, NULL, hourglass_thread, NULL);
    shared->go = 1;
    hourglass_side(0, hourglass_n);
    pthread_join(t, NULL);
    policy(SCHED_OTHER, 0);
    for (unsigned i = 0; i < shared->n; i++)
        printf("gap %lu\n", shared->sample[i]);
    report("linux-hourglass", shared->n, 1);
}

/* --- Jacobi --------------------------------------------------------------------------------- */
#define GRID   32 /* as in the paper's Tables I to III */
#define SWEEPS 880

static void *jacobi(void *unused)
{
    double(*old)[GRID] = calloc(GRID, sizeof(*old)), (*new)[GRID] = calloc(GRID, sizeof(*new));
    if (!old || !new)
        exit(1);
    pin();
    for (int i = 0; i < GRID; i++)
        old[0][i] = new[0][i] = 100.0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int y = 1; y < GRID - 1; y++)
            for (int x = 1; x < GRID - 1; x++)
                new[y][x] = 0.25 * (old[y - 1][x] + old[y + 1][x] + old[y][x - 1] + old[y][x + 1]);
        void *swap = old;
        old = new;
        new = swap;
    }
    if (old[1][GRID / 2] < 1.0) /* checks the result, and keeps the compiler from omitting the work */
        printf("peerbench: the Jacobi result is wrong\n");
    free(old);
    free(new);
    return unused;
}

static void bench_jacobi(void)
{
    pthread_t t;
    for (unsigned i = 0; i < 5; i++) {
        uint64_t t0 = rdtsc();
        jacobi(NULL);
        shared->sample[i] = rdtsc() - t0;
    }
    report("jacobi-1", 5, 1);
    for (unsigned i = 0; i < 5; i++) {
        uint64_t t0 = rdtsc();
        pthread_create(&t, NULL, jacobi, NULL);
        jacobi(NULL);
        pthread_join(t, NULL);
        shared->sample[i] = rdtsc() - t0;
    }
    report("jacobi-2", 5, 1);
}

/* The time since the machine's reset, if the TSC counts from there. */
static void bench_clock(void)
{
    shared->sample[0] = rdtsc();
    bench_report("clock", shared->sample, 1, 0, 1);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } groups[] = { { "clock", bench_clock },   { "calls", bench_calls },         { "memory", bench_memory },
                   { "switch", bench_switch }, { "hourglass", bench_hourglass }, { "jacobi", bench_jacobi } };
    const char *group = argc > 1 ? argv[1] : "all";
    bool known = false;
    if (argc > 2)
        count = atoi(argv[2]);
    if (count < 1 || count > MAX_SAMPLES)
        count = 1000;
    setvbuf(stdout, NULL, _IOLBF, 0);
    pin();
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (shared == MAP_FAILED) {
        perror("peerbench: mmap");
        return 1;
    }
    memset(shared, 0, sizeof(*shared));
    MEASURE("rdtsc-pair", count, (void)0);
    overhead = shared->sample[0];
    for (unsigned g = 0; g < sizeof(groups) / sizeof(groups[0]); g++)
        if (!strcmp(group, "all") || !strcmp(group, groups[g].name) ||
            (!strcmp(group, "tables") &&
             strcmp("hourglass", groups[g].name))) { /* all but the hourglass are the paper's tables */
            known = true;
            groups[g].run();
        }
    if (!known) {
        fprintf(stderr, "usage: peerbench [all|tables|clock|calls|memory|switch|hourglass|jacobi] [N]\n");
        return 2;
    }
    printf("peerbench: done\n");
    return 0;
}
