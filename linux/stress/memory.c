/* SPDX-License-Identifier: MIT */
/* memory.c - rounds with processes, files and page faults. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stress.h"

#define BYTES (64 << 10)

/* A child changes its copy of our pages, and every fourth child executes a program. Our pages must not change. */
int round_fork(uint64_t n)
{
    static uint64_t page[1024];
    int status, expected = n % 4 ? (int)(n % 100) : 0;
    pattern_fill(page, sizeof(page), n);
    pid_t pid = fork();
    if (pid < 0)
        return wrong("fork: %s", strerror(errno));
    if (!pid) {
        pattern_fill(page, sizeof(page), ~n);
        if (expected)
            _exit(pattern_check(page, sizeof(page), ~n) ? 101 : expected);
        execl("/bin/busybox", "true", NULL);
        _exit(102);
    }
    if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != expected)
        return wrong("a child ended with %x instead of %d", status, expected);
    return pattern_check(page, sizeof(page), n);
}

/* Write a file by write(), read it through a mapping, delete it. */
int round_file(uint64_t n)
{
    static uint64_t data[BYTES / 8];
    char name[40];
    snprintf(name, sizeof(name), "/tmp/stress.%d", (int)getpid());
    int file = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    pattern_fill(data, BYTES, n);
    if (file < 0 || write(file, data, BYTES) != BYTES || fsync(file))
        return wrong("%s: %s", name, strerror(errno));
    const void *map = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, file, 0);
    int bad = map == MAP_FAILED || pattern_check(map, BYTES, n);
    munmap((void *)map, BYTES);
    close(file);
    unlink(name);
    return bad;
}

static char *guarded;
static volatile sig_atomic_t faults;

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    if ((char *)info->si_addr < guarded || (char *)info->si_addr >= guarded + BYTES)
        _exit(103);
    faults++;
    mprotect((void *)((uintptr_t)info->si_addr & ~4095ul), 4096, PROT_READ | PROT_WRITE);
}

/* Each page of a protected block faults exactly once. */
int round_fault(uint64_t n)
{
    struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
    sigaction(SIGSEGV, &action, NULL);
    guarded = mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (guarded == MAP_FAILED)
        return wrong("mmap: %s", strerror(errno));
    faults = 0;
    pattern_fill(guarded, BYTES, n);
    int bad = pattern_check(guarded, BYTES, n);
    munmap(guarded, BYTES);
    return bad || faults == BYTES / 4096 ? bad : wrong("%d faults instead of %d", (int)faults, BYTES / 4096);
}
