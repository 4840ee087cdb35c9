/* SPDX-License-Identifier: MIT */
/*
 * lmrows - the rows of Mercury's Table 1, measured as lmbench defines them, in TSC ticks:
 *   lmrows [ROW...]          fork exec sh ctx-2p-0k ctx-16p-16k ctx-16p-64k mmap prot-fault page-fault
 * `lmrows hello` prints and ends: what exec and sh start.
 *
 * Prints lines `bench NAME MIN MEDIAN N`. Pins itself to CPU 0. From a context switch's time the cost of the pipe is
 * subtracted, measured in one process; the time includes touching as many kilobytes as the row names.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define WARM      8
#define FEW       200
#define MANY      1000
#define FILE_SIZE (8u << 20)
#define PAGE      4096u
#define RING      16

static uint64_t sample[MAX_SAMPLES];
static char self[256];

static void die(const char *what)
{
    perror(what);
    _exit(1);
}

static void end_of(pid_t child)
{
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || status)
        die("lmrows: a child failed");
}

/* --- processes --------------------------------------------------------------------------- */

static void once_fork(void)
{
    pid_t child = fork();
    if (!child)
        _exit(0);
    end_of(child);
}

static void quiet(void)
{
    int null = open("/dev/null", O_WRONLY);
    dup2(null, 1);
}

static void once_exec(void)
{
    pid_t child = fork();
    if (!child) {
        quiet();
        execl(self, "lmrows", "hello", NULL);
        _exit(127);
    }
    end_of(child);
}

static void once_sh(void)
{
    pid_t child = fork();
    if (!child) {
        char line[300];
        quiet();
        snprintf(line, sizeof(line), "%s hello", self);
        execl("/bin/sh", "sh", "-c", line, NULL);
        _exit(127);
    }
    end_of(child);
}

static void repeat(const char *name, unsigned n, void (*once)(void))
{
    for (int i = -WARM; i < (int)n; i++) {
        uint64_t t0 = rdtsc();
        once();
        if (i >= 0)
            sample[i] = rdtsc() - t0;
    }
    bench_report(name, sample, n, 0, 1);
}

/* --- context switches: a token goes round a ring of processes ------------------------------- */

static void touch(volatile char *area, unsigned size)
{
    for (unsigned i = 0; i < size; i += 64)
        area[i]++;
}

static void pass(int from, int to, char *area, unsigned size)
{
    char token;
    if (read(from, &token, 1) != 1)
        _exit(0);
    touch(area, size);
    if (write(to, &token, 1) != 1)
        _exit(0);
}

static void member(int from, int to, unsigned size)
{
    char *area = calloc(1, size + 1);
    for (;;)
        pass(from, to, area, size);
}

/* Returns the ticks of one pass without a switch: a pipe to the process itself. */
static uint64_t alone(unsigned size)
{
    static uint64_t own[MANY];
    char *area = calloc(1, size + 1), token = 0;
    int p[2];
    if (!area || pipe(p) || write(p[1], &token, 1) != 1)
        die("lmrows: pipe");
    for (int i = -WARM; i < MANY; i++) {
        uint64_t t0 = rdtsc();
        pass(p[0], p[1], area, size);
        if (i >= 0)
            own[i] = rdtsc() - t0;
    }
    close(p[0]);
    close(p[1]);
    free(area);
    qsort(own, MANY, sizeof(own[0]), by_size);
    return own[MANY / 2];
}

static void ring(const char *name, unsigned members, unsigned size)
{
    int pipes[RING][2];
    pid_t child[RING];
    char token = 0, *area = calloc(1, size + 1);
    uint64_t overhead = alone(size);
    for (unsigned i = 0; i < members; i++)
        if (pipe(pipes[i]))
            die("lmrows: pipe");
    for (unsigned i = 1; i < members; i++) {
        child[i] = fork();
        if (!child[i])
            member(pipes[i - 1][0], pipes[i][1], size);
    }
    for (int i = -WARM; i < FEW; i++) {
        uint64_t t0 = rdtsc();
        if (write(pipes[0][1], &token, 1) != 1 || read(pipes[members - 1][0], &token, 1) != 1)
            die("lmrows: the ring is broken");
        touch(area, size);
        if (i >= 0)
            sample[i] = (rdtsc() - t0) / members;
    }
    for (unsigned i = 1; i < members; i++) {
        kill(child[i], SIGKILL);
        waitpid(child[i], NULL, 0);
    }
    for (unsigned i = 0; i < members; i++) {
        close(pipes[i][0]);
        close(pipes[i][1]);
    }
    free(area);
    bench_report(name, sample, FEW, overhead, 1);
}

/* --- memory --------------------------------------------------------------------------------- */

static int file(void)
{
    int fd = open("/tmp/lmrows.data", O_RDWR | O_CREAT | O_TRUNC, 0600);
    static char page[PAGE];
    for (unsigned i = 0; fd >= 0 && i < FILE_SIZE; i += PAGE)
        if (write(fd, page, PAGE) != PAGE)
            die("lmrows: /tmp/lmrows.data");
    if (fd < 0)
        die("lmrows: /tmp/lmrows.data");
    unlink("/tmp/lmrows.data");
    return fd;
}

static int mapped = -1;

/* Map, touch every page of the first eighth, unmap. */
static void once_mmap(void)
{
    volatile char *p = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, mapped, 0);
    if (p == MAP_FAILED)
        die("lmrows: mmap");
    for (unsigned i = 0; i < FILE_SIZE / 8; i += PAGE)
        (void)p[i];
    munmap((void *)p, FILE_SIZE);
}

/* At a fault Linux also maps cached pages around it, up to this distance; so faults must be this far apart. */
#define AROUND (16 * PAGE)

static void page_faults(const char *name)
{
    unsigned n = 0, faults = FILE_SIZE / AROUND;
    for (int round = -1; round < 4; round++) {
        volatile char *p = mmap(NULL, FILE_SIZE, PROT_READ, MAP_SHARED, mapped, 0);
        if (p == MAP_FAILED)
            die("lmrows: mmap");
        for (unsigned i = 0; i < faults; i++) {
            uint64_t t0 = rdtsc();
            (void)p[(size_t)(i * 37 % faults) * AROUND];
            if (round >= 0)
                sample[n++] = rdtsc() - t0;
        }
        munmap((void *)p, FILE_SIZE);
    }
    bench_report(name, sample, n, 0, 1);
}

static volatile uint64_t handled;
static char *protected;

static void on_segv(int number)
{
    (void)number;
    handled = rdtsc();
    mprotect(protected, PAGE, PROT_READ | PROT_WRITE);
}

static void protection_faults(const char *name)
{
    struct sigaction act = { .sa_handler = on_segv };
    sigaction(SIGSEGV, &act, NULL);
    protected = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *protected = 1;
    for (int i = -WARM; i < MANY; i++) {
        mprotect(protected, PAGE, PROT_READ);
        uint64_t t0 = rdtsc();
        *(volatile char *)protected = 1;
        if (i >= 0)
            sample[i] = handled - t0;
    }
    signal(SIGSEGV, SIG_DFL);
    bench_report(name, sample, MANY, 0, 1);
}

/* ---------------------------------------------------------------------------------------------- */

static void row(const char *name)
{
    if (!strcmp(name, "fork"))
        repeat(name, FEW, once_fork);
    else if (!strcmp(name, "exec"))
        repeat(name, FEW, once_exec);
    else if (!strcmp(name, "sh"))
        repeat(name, FEW, once_sh);
    else if (!strcmp(name, "ctx-2p-0k"))
        ring(name, 2, 0);
    else if (!strcmp(name, "ctx-16p-16k"))
        ring(name, 16, 16384);
    else if (!strcmp(name, "ctx-16p-64k"))
        ring(name, 16, 65536);
    else if (!strcmp(name, "mmap"))
        repeat(name, FEW, once_mmap);
    else if (!strcmp(name, "prot-fault"))
        protection_faults(name);
    else if (!strcmp(name, "page-fault"))
        page_faults(name);
    else
        fprintf(stderr, "lmrows: no row '%s'\n", name);
}

int main(int argc, char **argv)
{
    static const char *const all[] = { "fork",        "exec", "sh",         "ctx-2p-0k", "ctx-16p-16k",
                                       "ctx-16p-64k", "mmap", "prot-fault", "page-fault" };
    cpu_set_t set;
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (argc == 2 && !strcmp(argv[1], "hello"))
        return write(1, "hello\n", 6) != 6;
    if (n < 0)
        die("lmrows: /proc/self/exe");
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    sched_setaffinity(0, sizeof(set), &set);
    mapped = file();
    for (int i = 1; i < argc; i++)
        row(argv[i]);
    for (unsigned i = 0; argc == 1 && i < sizeof(all) / sizeof(all[0]); i++)
        row(all[i]);
    return 0;
}
