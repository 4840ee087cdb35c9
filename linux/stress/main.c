/* SPDX-License-Identifier: MIT */
/*
 * main.c - amalgam-stress [SECONDS [KIND,...]]: runs all kinds of work at once (stress.h), then prints the counts of
 * each. Without SECONDS, or with 0, it runs until SIGTERM. The exit status is 0 if every kind did at least one round
 * and none found a difference.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "stress.h"

/* Reports a difference in every round, so that a test sees one reported. Runs only if it is named. */
static int round_liar(uint64_t n)
{
    uint64_t word;
    pattern_fill(&word, sizeof(word), n);
    return pattern_check(&word, sizeof(word), n + 1);
}

static const struct work kinds[] = {
    { "fork", round_fork },     { "file", round_file },
    { "fault", round_fault },   { "timer", round_timer },
    { "signal", round_signal }, { "registers", round_registers },
    { "tcp", round_tcp },       { "registers2", round_registers },
    { "udp", round_udp },       { "module", round_module },
    { "liar", round_liar },
};
#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static struct {
    volatile int stop;
    volatile uint64_t rounds[N_KINDS], failed[N_KINDS];
} * shared;

static void on_end(int number)
{
    (void)number;
    shared->stop = 1;
}

int wrong(const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    fprintf(stderr, "stress: wrong: %s\n", text);
    return 1;
}

void pattern_fill(void *to, size_t bytes, uint64_t seed)
{
    uint64_t *word = to;
    for (size_t i = 0; i < bytes / 8; i++)
        word[i] = (seed + i) * 0x9e3779b97f4a7c15u;
}

int pattern_check(const void *from, size_t bytes, uint64_t seed)
{
    const uint64_t *word = from;
    for (size_t i = 0; i < bytes / 8; i++)
        if (word[i] != (seed + i) * 0x9e3779b97f4a7c15u)
            return wrong("word %zu of pattern %llu is %llx", i, (unsigned long long)seed, (unsigned long long)word[i]);
    return 0;
}

static void work_on(size_t kind)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    uint64_t n = kind + 1;
    do { /* at least one round: on a busy machine `stop` may be set before this process runs */
        if (kinds[kind].round(n)) {
            shared->failed[kind]++;
            shared->stop = 1;
        }
        shared->rounds[kind]++;
        n += N_KINDS;
    } while (!shared->stop);
    _exit(0);
}

static int wanted(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at && (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || !at[length]))
            return 1;
    return !list && strcmp(name, "liar");
}

static int report(const pid_t *pid)
{
    int bad = 0;
    for (size_t i = 0; i < N_KINDS; i++) {
        if (!pid[i])
            continue;
        printf("stress: %s rounds=%llu wrong=%llu\n", kinds[i].name, (unsigned long long)shared->rounds[i],
               (unsigned long long)shared->failed[i]);
        bad |= shared->failed[i] || !shared->rounds[i];
    }
    printf("stress: %s\n", bad ? "FAILED" : "all right");
    return bad;
}

int main(int argc, char **argv)
{
    pid_t pid[N_KINDS] = { 0 };
    long seconds = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    const char *list = argc > 2 ? argv[2] : NULL;
    if (seconds < 0 || argc > 3) {
        fprintf(stderr, "usage: amalgam-stress [SECONDS [KIND,...]]\n");
        return 2;
    }
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return wrong("mmap: %s", strerror(errno));
    signal(SIGTERM, on_end);
    signal(SIGINT, on_end);
    for (size_t i = 0; i < N_KINDS; i++)
        if (wanted(list, kinds[i].name) && !(pid[i] = fork()))
            work_on(i);
    struct timespec start, now, nap = { .tv_nsec = 50000000 };
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        nanosleep(&nap, NULL);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (!shared->stop && (!seconds || now.tv_sec - start.tv_sec < seconds));
    shared->stop = 1;
    for (size_t i = 0; i < N_KINDS; i++) {
        int status;
        if (pid[i] && (waitpid(pid[i], &status, 0) != pid[i] || status)) {
            shared->failed[i]++;
            wrong("%s ended with status %x", kinds[i].name, status);
        }
    }
    return report(pid);
}
