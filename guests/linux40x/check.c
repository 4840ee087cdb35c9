// SPDX-License-Identifier: MIT
/*
 * check - checks processes, pipes, signals, timers, files and memory of this Linux. Prints one line for each promise.
 * The exit status is the number of promises that were not kept.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int failed;

static void report(const char *what, int kept)
{
    printf("check: %s %s\n", what, kept ? "ok" : "FAILED");
    failed += !kept;
}

static int exit_status(pid_t child)
{
    int status = -1;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A child has its own copy of memory, returns its exit status, and can execute another program. */
static void check_processes(void)
{
    volatile int copy = 1;
    pid_t child = fork();
    if (child == 0) {
        copy = 2;
        _exit(40 + copy);
    }
    report("process", exit_status(child) == 42 && copy == 1);
    child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", "exit $((6 * 7))", NULL);
        _exit(1);
    }
    report("exec", exit_status(child) == 42);
}

/* All bytes written to a pipe come out in order, also if they are more than it holds. */
static void check_pipe(void)
{
    enum { WORDS = 100000 };
    int ends[2];
    if (pipe(ends)) {
        report("pipe", 0);
        return;
    }
    pid_t child = fork();
    if (child == 0) {
        FILE *out = fdopen(ends[1], "w");
        for (unsigned i = 0; i < WORDS; i++)
            fwrite(&i, sizeof(i), 1, out);
        fclose(out);
        _exit(0);
    }
    close(ends[1]);
    FILE *in = fdopen(ends[0], "r");
    unsigned next = 0, word;
    while (fread(&word, sizeof(word), 1, in) == 1 && word == next)
        next++;
    fclose(in);
    report("pipe", next == WORDS && exit_status(child) == 0);
}

static volatile sig_atomic_t signals, alarms, fault_seen;
static void count_signal(int number) { signals += number == SIGUSR1; }
static void count_alarm(int number) { alarms += number == SIGALRM; }

static void check_signals(void)
{
    struct sigaction action = { .sa_handler = count_signal }; /* without SA_RESTART: a wait is interrupted */
    sigaction(SIGUSR1, &action, NULL);
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        for (int i = 0; i < 10; i++) {
            kill(parent, SIGUSR1);
            usleep(2000);
        }
        _exit(0);
    }
    int status, kept = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        kept = 1;
    report("signal", kept && signals > 0 && signals <= 10);
    child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    kill(child, SIGKILL);
    report("kill", waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void *volatile guarded; /* the handler reads it */
static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    fault_seen = number == SIGSEGV && info->si_addr == guarded;
    mprotect(guarded, 4096, PROT_READ | PROT_WRITE);
}

/* A page fault reaches the program's handler with the right address, and the store is repeated after it. */
static void check_memory(void)
{
    struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
    sigaction(SIGSEGV, &action, NULL);
    guarded = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *(volatile int *)guarded = 42;
    report("fault", fault_seen && *(volatile int *)guarded == 42);
    enum { MIB = 3 << 20 };
    unsigned *large = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned wrong = 0;
    for (unsigned i = 0; i < MIB / 4; i++)
        large[i] = i * 2654435761u;
    for (unsigned i = 0; i < MIB / 4; i++)
        wrong += large[i] != i * 2654435761u;
    report("memory", wrong == 0);
    munmap(large, MIB);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

/* Timers fire, and not early, and time advances. A shared machine does not promise how late they may be. */
static void check_timers(void)
{
    struct sigaction action = { .sa_handler = count_alarm };
    sigaction(SIGALRM, &action, NULL);
    double start = seconds();
    struct itimerval often = { { 0, 20000 }, { 0, 20000 } }, never = { { 0, 0 }, { 0, 0 } };
    setitimer(ITIMER_REAL, &often, NULL);
    while (alarms < 5 && seconds() - start < 30)
        pause();
    setitimer(ITIMER_REAL, &never, NULL);
    report("timer", alarms >= 5 && seconds() - start > 0.09);
    start = seconds();
    struct timespec wait = { 0, 50000000 };
    nanosleep(&wait, NULL);
    report("sleep", seconds() - start >= 0.05);
}

static void check_files(void)
{
    const char *name = "/tmp/check";
    char text[32] = "";
    struct stat about;
    int fd = open(name, O_CREAT | O_TRUNC | O_RDWR, 0600);
    int kept = fd >= 0 && write(fd, "one two three", 13) == 13 && lseek(fd, 4, SEEK_SET) == 4 && read(fd, text, 3) == 3;
    kept = kept && !strcmp(text, "two") && !fstat(fd, &about) && about.st_size == 13;
    char *seen = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    kept = kept && seen != MAP_FAILED && !memcmp(seen, "one two three", 13);
    if (kept)
        seen[0] = 'O';
    kept = kept && pread(fd, text, 3, 0) == 3 && !strncmp(text, "One", 3);
    close(fd);
    report("file", kept && !unlink(name) && open(name, O_RDONLY) < 0 && errno == ENOENT);
}

/* The processor has no floating-point unit, so the kernel emulates it. */
static void check_arithmetic(void)
{
    volatile double x = 2, guess = 1;
    for (int i = 0; i < 20; i++)
        guess = (guess + x / guess) / 2;
    volatile unsigned long long big = 0xfedcba9876543210ull;
    report("arithmetic",
           guess * guess > 1.9999999 && guess * guess < 2.0000001 && big / 1000003 * 1000003 + big % 1000003 == big);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    check_processes();
    check_pipe();
    check_signals();
    check_memory();
    check_timers();
    check_files();
    check_arithmetic();
    printf("check: %s\n", failed ? "something FAILED" : "all ok");
    return failed;
}
