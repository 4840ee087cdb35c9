/* SPDX-License-Identifier: MIT */
/* run.c - the shell's commands that start and end programs; see commands.h. */
#include <amalgam/spawn.h>
#include <limits.h>
#include <nanvix/runtime/pm/process.h>
#include <nanvix/sys/thread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "output.h"

#define LARGEST  (512u << 10) /* bytes of a file; what is loaded of it is less */
#define BESIDE   32
#define VARIABLE 32
#define AT_ONCE  64        /* pieces of a program's output, between two looks for ^C */
#define KILLING  20000000u /* ns */
#define ENDING   2000000000u
#define PAUSE    2000000u

static char file[LARGEST];
static struct output beside[BESIDE]; /* what runs beside; its number is 0: none */

static unsigned interrupted(void)
{
    int64_t n = amalgam_console_interrupts();
    return n < 0 ? 0 : (unsigned)n;
}

static void say_end(int number, int status)
{
    int how = status >> 8, value = status & 0xff;
    if (how == NANVIX_PROCESS_FAULT)
        printf("[%d] ended by a fault\n", number);
    else if (how == NANVIX_PROCESS_KILLED)
        printf("[%d] killed\n", number);
    else
        printf("[%d] exit status %d\n", number, value);
}

/* Say what it has written. Returns whether it has ended, and says how. A lost server is said, too. */
static bool has_ended(struct output *o, bool says_all)
{
    int status = 0, error = output_say(o, AT_ONCE) ? nanvix_process_wait(o->number, &status) : -EAGAIN;
    if (o->late && (!error || error == -EAGAIN))
        printf("[%d] some of its output may be lost: its server was late\n", o->number);
    o->late = false;
    if (error == -EAGAIN)
        return false;
    if (error)
        printf("[%d] lost: its server has begun anew, or does not answer\n", o->number);
    else if (status || says_all)
        say_end(o->number, status);
    o->number = 0;
    return true;
}

void run_say_ends(void)
{
    for (unsigned i = 0; i < BESIDE; i++)
        if (beside[i].number)
            has_ended(&beside[i], true);
}

/* From now on its output and its end are said at prompts, if there is a place for it. */
static void put_beside(const struct output *o)
{
    for (unsigned i = 0; i < BESIDE; i++)
        if (!beside[i].number) {
            beside[i] = *o;
            return;
        }
}

/* Returns whether so many programs have a place. One without would have its slot for ever: nobody reads its output. */
static bool have_places(int n)
{
    int places = 0;
    for (unsigned i = 0; i < BESIDE; i++)
        places += !beside[i].number;
    if (n > places)
        printf("%d programs run beside, and %d at most may: kill some\n", BESIDE - places, BESIDE);
    return n <= places;
}

/* ^C kills them all; `interrupts`: how many were typed before they were started. Those that run at `until`, or ENDING
 * after ^C, are not waited for any more: that is said, and their ends later if there is room. */
static void wait_for(struct output *started, int n, unsigned interrupts, uint64_t until)
{
    for (int left = n; left && amalgam_clock() < until;) {
        for (int i = 0; i < n; i++)
            if (started[i].number && has_ended(&started[i], false))
                left--;
        if (interrupted() != interrupts) {
            interrupts = interrupted();
            until = amalgam_clock() + ENDING;
            for (int i = 0; i < n; i++)
                if (started[i].number)
                    nanvix_process_kill(started[i].number);
        }
        if (left)
            amalgam_sleep_until(amalgam_clock() + PAUSE);
    }
    for (int i = 0; i < n; i++)
        if (started[i].number) {
            printf("[%d] may run on: its server does not end it\n", started[i].number);
            put_beside(&started[i]);
        }
}

/* Returns the file's size, or 0 and says why not. */
static size_t read_file(const char *name)
{
    char path[256];
    snprintf(path, sizeof(path), "%s%s", strchr(name, '/') ? "" : "/bin/", name);
    FILE *f = fopen(path, "r");
    if (!f) {
        perror(path);
        return 0;
    }
    size_t n = fread(file, 1, sizeof(file), f);
    bool whole = n < sizeof(file);
    fclose(f);
    if (!whole || !n)
        printf("%s: %s\n", path, n ? "larger than 512 KiB" : "empty");
    return whole ? n : 0;
}

static const char *reason(int error)
{
    switch (error) {
    case -ENOEXEC: return "it is no program for these cores";
    case -ENOMEM: return "larger than the server loads (its argument largest=) or than a slot has room for";
    case -EAGAIN: return "no slot is free, none has so many threads, or the server does not answer";
    case -EPERM: return "the server may start nothing for this cluster (its argument from=)";
    case -EIO: return "the server has died, or does not say whether it was started";
    default: return "the server refuses it";
    }
}

static int count_clusters(void)
{
    int node, n = 0;
    while (!nanvix_process_cluster((unsigned)n, &node))
        n++;
    return n;
}

/* Kill them, and wait, but not for long. */
static void end_all(struct output *started, int n)
{
    for (int i = 0; i < n; i++)
        nanvix_process_kill(started[i].number); /* one that fails is seen by the wait */
    wait_for(started, n, interrupted(), amalgam_clock() + ENDING);
}

/* Start it on the first `clusters` of the list that take it. Each program is told how many they are, so where fewer
 * take it those are ended. Returns on how many it was started. */
static int start_all(char **words, size_t size, int threads, int clusters, struct output *started)
{
    char told[3][VARIABLE];
    int node, n = 0, error = -EAGAIN, all = count_clusters();
    if (clusters > all) {
        printf("%s: there are only %d clusters\n", words[0], all);
        return 0;
    }
    snprintf(told[0], VARIABLE, "THREADS=%d", threads);
    snprintf(told[1], VARIABLE, "CLUSTERS=%d", clusters);
    for (int asked = 0; n < clusters && !nanvix_process_cluster((unsigned)asked, &node); asked++) {
        snprintf(told[2], VARIABLE, "RANK=%d", n);
        const char *const variables[] = { told[0], told[1], told[2], NULL };
        int number = nanvix_process_start_piped(node, file, size, threads, (const char *const *)words, variables);
        if (number <= 0) {
            error = number;
            continue;
        }
        started[n] = output_of(number, clusters > 1 ? n : OUTPUT_ALONE);
        n++;
    }
    if (n == clusters)
        return n;
    printf("%s: only %d of %d clusters take it: %s\n", words[0], n, clusters, reason(error));
    end_all(started, n);
    return 0;
}

/* Returns a number of 1 to `most` behind the option, or 0. */
static int value_of(const char *text, int most)
{
    char *end;
    long long value = text ? strtoll(text, &end, 10) : 0; /* a long that is too large would become INT_MAX */
    return text && end != text && !*end && value > 0 && value <= most ? (int)value : 0;
}

void run_program(int argc, char **words)
{
    static struct output started[BESIDE];
    int threads = 1, clusters = 1;
    unsigned interrupts = interrupted();
    char **own = words + 1;
    bool waits = strcmp(words[argc - 1], "&");
    if (!waits)
        words[--argc] = NULL;
    const char *program = *own && **own != '-' ? *own++ : NULL; /* options come behind it */
    while (program && *own && (!strcmp(*own, "-n") || !strcmp(*own, "-c"))) {
        int value = value_of(own[1], own[0][1] == 'n' ? 64 : BESIDE);
        if (!value)
            program = NULL;
        *(own[0][1] == 'n' ? &threads : &clusters) = value;
        own += own[1] ? 2 : 1;
    }
    if (!program) {
        printf("run PROGRAM [-n THREADS] [-c CLUSTERS] [WORD ...] [&]\n");
        return;
    }
    *--own = (char *)(uintptr_t)program;
    size_t size = waits || have_places(clusters) ? read_file(program) : 0;
    int n = size ? start_all(own, size, threads, clusters, started) : 0;
    for (int i = 0; i < n && !waits; i++) {
        put_beside(&started[i]);
        printf("[%d]\n", started[i].number);
    }
    if (waits)
        wait_for(started, n, interrupts, UINT64_MAX);
}

/* Returns how many were killed, or an error. Digits are a number, and no name. */
static int kill_word(const char *word)
{
    if (word[strspn(word, "0123456789")])
        return nanvix_process_kill_name(word);
    int number = value_of(word, INT_MAX);
    return number ? nanvix_process_kill(number) : -ESRCH;
}

void run_kill(int argc, char **words)
{
    if (argc != 2) {
        printf("kill NUMBER | NAME\n");
        return;
    }
    int killed = kill_word(words[1]);
    if (killed == -ESRCH)
        printf("%s: nothing of that name or number was started here\n", words[1]);
    else if (killed < 0)
        printf("%s: a server has begun anew, or does not answer\n", words[1]);
    else if (killed) /* wait, so that the next prompt says its end */
        for (uint64_t until = amalgam_clock() + KILLING; amalgam_sleep_until(until) == -AMALGAM_EINTR;)
            ; /* the patience of the library's last question */
}
