/* SPDX-License-Identifier: MIT */
/*
 * costs.c - what common operations cost a Linux on a Pentium, in ticks of the time stamp counter: Tables I to III of
 * the MetalSVM paper and the hourglass of its Fig. 3. costs PART...: calls, jacobi, hourglass. A line each: `bench NAME
 * LEAST MIDDLE SAMPLES`; of `page-fault-mean` and `boot` there is one figure.
 *
 * The kernel can start it in place of init (rdinit=/bin/costs -- PART...): then it also says when that was, and ends by
 * a reset, which a bare board without ACPI has and a guest too.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE   4096u
#define FAULTS 64u
#define TIMES  64u
#define WARM   4
#define GETPID 20

static uint64_t sample[100], overhead;

static inline uint64_t now(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void say(const char *name, uint64_t *of, unsigned n, uint64_t less)
{
    qsort(of, n, sizeof(*of), by_size);
    printf("bench %s %llu %llu %u\n", name, of[0] - less, of[n / 2] - less, n);
}

static void *nothing(void *unused) { return unused; }

/* --- calls ------------------------------------------------------------------------------------------------- */

static void getpids(void)
{
    for (int i = -WARM; i < (int)TIMES; i++) {
        uint64_t begin = now();
        int number = GETPID;
        __asm__ volatile("int $0x80" : "+a"(number) : : "memory");
        if (i >= 0)
            sample[i] = now() - begin;
    }
    say("getpid", sample, TIMES, overhead);
}

static void page_faults(void)
{
    char *area = mmap(NULL, 2 * FAULTS * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t sum = 0;
    for (unsigned i = 0; i < 2 * FAULTS; i++) {
        uint64_t begin = now();
        *(volatile char *)(area + i * PAGE) = 1;
        sample[i % FAULTS] = now() - begin;
    }
    for (unsigned i = 0; i < FAULTS; i++)
        sum += sample[i] - overhead;
    printf("bench page-fault-mean %llu %llu %u\n", sum / FAULTS, sum / FAULTS, FAULTS);
    say("page-fault", sample, FAULTS, overhead);
    munmap(area, 2 * FAULTS * PAGE);
}

static void forks(void)
{
    static uint64_t whole[TIMES];
    for (int i = -WARM; i < (int)TIMES; i++) {
        uint64_t begin = now();
        pid_t child = fork();
        if (!child)
            _exit(0);
        uint64_t back = now();
        waitpid(child, NULL, 0);
        if (i >= 0) {
            whole[i] = now() - begin;
            sample[i] = back - begin;
        }
    }
    say("fork", sample, TIMES, overhead);
    say("fork-exit-wait", whole, TIMES, overhead);
}

static void vforks(void)
{
    for (volatile int i = -WARM; i < (int)TIMES; i++) {
        volatile uint64_t begin = now();
        pid_t child = vfork();
        if (!child)
            _exit(0);
        uint64_t back = now();
        waitpid(child, NULL, 0);
        if (i >= 0)
            sample[i] = back - begin;
    }
    say("vfork-exit", sample, TIMES, overhead);
}

static void threads(void)
{
    static uint64_t whole[TIMES];
    for (int i = -WARM; i < (int)TIMES; i++) {
        pthread_t thread;
        uint64_t begin = now();
        if (pthread_create(&thread, NULL, nothing, NULL))
            exit(1);
        uint64_t back = now();
        pthread_join(thread, NULL);
        if (i >= 0) {
            whole[i] = now() - begin;
            sample[i] = back - begin;
        }
    }
    say("pthread-create", sample, TIMES, overhead);
    say("pthread-create-join", whole, TIMES, overhead);
}

static void pipes(void)
{
    int to[2], from[2];
    char c = 0;
    if (pipe(to) || pipe(from))
        exit(1);
    pid_t child = fork();
    if (!child) {
        while (read(to[0], &c, 1) == 1 && c != 'q' && write(from[1], &c, 1) == 1)
            ;
        _exit(0);
    }
    for (int i = -WARM; i < (int)TIMES; i++) {
        uint64_t begin = now();
        if (write(to[1], &c, 1) != 1 || read(from[0], &c, 1) != 1)
            exit(1);
        if (i >= 0)
            sample[i] = now() - begin;
    }
    c = 'q';
    if (write(to[1], &c, 1) != 1)
        exit(1);
    waitpid(child, NULL, 0);
    say("pipe", sample, TIMES, overhead);
}

static void calls(void)
{
    getpids();
    page_faults();
    forks();
    vforks();
    threads();
    pipes();
}

/* --- Jacobi's method, on one grid or on two at once -------------------------------------------------------- */

#define MOST  128u
#define RUNS  3u
#define STEPS 400000u /* points that a run computes, about */

static unsigned size;
static double grids[2][2][MOST * MOST];

static void *jacobi(void *grid)
{
    double(*g)[MOST * MOST] = grid;
    for (unsigned k = 0; k < STEPS / (size * size); k++) {
        const double *from = g[k & 1];
        double *to = g[~k & 1];
        for (unsigned y = 1; y < size - 1; y++)
            for (unsigned x = 1; x < size - 1; x++) {
                unsigned at = y * size + x;
                to[at] = (from[at - 1] + from[at + 1] + from[at - size] + from[at + size]) * 0.25;
            }
    }
    return NULL;
}

static void jacobis(unsigned points, unsigned n)
{
    char name[32];
    size = points;
    for (unsigned i = 0; i < MOST * MOST; i++)
        for (unsigned k = 0; k < 2; k++)
            grids[k][0][i] = grids[k][1][i] = i < size ? 1 : 0;
    for (unsigned i = 0; i < RUNS; i++) {
        pthread_t other;
        uint64_t begin = now();
        if (n == 2 && pthread_create(&other, NULL, jacobi, grids[1]))
            exit(1);
        jacobi(grids[0]);
        if (n == 2)
            pthread_join(other, NULL);
        sample[i] = now() - begin;
    }
    snprintf(name, sizeof(name), "jacobi-%u-%u", points, n);
    say(name, sample, RUNS, overhead);
}

static void all_jacobis(void)
{
    jacobis(32, 1);
    jacobis(32, 2);
    jacobis(128, 1);
    jacobis(128, 2);
}

/* --- the hourglass: how long nobody of two equal threads runs at a switch between them --------------------- */

#define GAP    100u
#define PHASES 29u
#define GAPS   100u /* a slice is 10 ms */

/* One word holds both the time and the thread (bit 0), because a thread may lose the processor between two stores. */
static volatile uint64_t stamp;
static volatile bool stop;
static unsigned n_samples;

static void *side(void *number)
{
    unsigned me = number != NULL;
    stamp = now() << 1 | me;
    while (!stop) {
        uint64_t then = stamp, time = now(), gap = time - (then >> 1);
        if (gap > GAP) {
            if ((then & 1) != me && n_samples < GAPS)
                sample[n_samples++] = gap;
            stop = n_samples >= GAPS;
            for (unsigned i = n_samples % PHASES; i; i--) /* else the time slice is a multiple of the loop's length */
                __asm__ volatile("nop");
            time = now();
        }
        stamp = time << 1 | me;
    }
    return NULL;
}

static void hourglass(void)
{
    pthread_t other;
    if (pthread_create(&other, NULL, side, &n_samples))
        exit(1);
    side(NULL);
    pthread_join(other, NULL);
    for (unsigned i = 0; i < n_samples; i++)
        printf("gap %llu\n", sample[i]);
    say("hourglass", sample, n_samples, overhead);
}

int main(int argc, char **argv)
{
    uint64_t first = now();
    bool init = getpid() == 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (init)
        printf("bench boot %llu %llu 1\n", first, first);
    first = now();
    overhead = now() - first;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "calls"))
            calls();
        else if (!strcmp(argv[i], "jacobi"))
            all_jacobis();
        else if (!strcmp(argv[i], "hourglass"))
            hourglass();
    }
    printf("costs: done\n");
    if (init) {
        usleep(100000); /* the console's last bytes */
        reboot(RB_AUTOBOOT);
    }
    return 0;
}
