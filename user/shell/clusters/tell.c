/* SPDX-License-Identifier: MIT */
/* tell.c - the shell's commands that change nothing; see commands.h. */
#include <dirent.h>
#include <nanvix/runtime/pm/process.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"

#define LONGEST 256 /* of a list: no server has so many processes, though some begin and end meanwhile */

/* Get the process behind *p of a cluster's list, the first one behind number 0, and count it in *n. Returns as
 * nanvix_process_list(); -EIO also if the list has no end. */
static int next(int node, int *n, struct nanvix_process *p)
{
    return ++*n > LONGEST ? -EIO : nanvix_process_list(node, p->number, p);
}

/* Say what is wrong where a list has ended by an error. Returns whether it has. */
static bool tell_error(int node, int error)
{
    if (error != -ESRCH)
        printf("%7d  %s\n", node, error == -EIO ? "answers wrong" : "does not answer");
    return error != -ESRCH;
}

void tell_processes(int argc, char **words)
{
    int node;
    (void)argc;
    (void)words;
    printf("CLUSTER    NUMBER  FROM  THREADS  STATE  NAME\n");
    for (unsigned i = 0; !nanvix_process_cluster(i, &node); i++) {
        struct nanvix_process p = { 0 };
        int error, n = 0;
        while (!(error = next(node, &n, &p)))
            printf("%7d %9d %5d %8d  %-5s  %s\n", node, p.number, p.from, p.threads, p.runs ? "runs" : "ended", p.name);
        tell_error(node, error);
    }
}

/* Print a line of each cluster, by what its server counts. */
static void tell_each(void (*tell)(int node, const struct nanvix_process_stats *s))
{
    struct nanvix_process_stats s;
    int node;
    for (unsigned i = 0; !nanvix_process_cluster(i, &node); i++) {
        if (nanvix_process_stats(node, &s))
            printf("%7d  does not answer\n", node);
        else
            tell(node, &s);
    }
}

/* A server that answers has said that it serves. */
void tell_missing(void)
{
    struct nanvix_process_stats s;
    int node;
    for (unsigned i = 0; !nanvix_process_cluster(i, &node); i++)
        if (nanvix_process_stats(node, &s))
            printf("the process server of cluster %d does not answer\n", node);
}

static void tell_stats_of(int node, const struct nanvix_process_stats *s)
{
    printf("%7d %5u %9u %8u %8u %8u\n", node, s->life, s->server_life, s->started, s->refused, s->dropped);
}

void tell_stats(int argc, char **words)
{
    (void)argc;
    (void)words;
    printf("CLUSTER  LIFE  SERVER'S  STARTED  REFUSED  DROPPED\n");
    tell_each(tell_stats_of);
}

#define CORES (3 * 64) /* bytes of a list of a cluster's cores, at most 64 */

/* Put the cores of which a bit is set into a list, "0,2-4"; "-" if there is none. */
static void list_cores(char list[CORES], uint64_t bits)
{
    size_t n = 0;
    snprintf(list, CORES, "-");
    for (int i = 0; i < 64; i++) {
        int first = i;
        while (i < 63 && bits >> i & bits >> (i + 1) & 1)
            i++;
        if (!(bits >> i & 1))
            continue;
        n += (size_t)snprintf(list + n, CORES - n, n ? ",%d" : "%d", first);
        if (i > first)
            n += (size_t)snprintf(list + n, CORES - n, "-%d", i);
    }
}

/* Count what runs on a cluster and its threads, and print the names behind each other. */
static void tell_top_of(int node, const struct nanvix_process_stats *s)
{
    struct nanvix_process p = { 0 };
    char names[80] = "", limit[16] = "-", awake[CORES], dark[CORES], waits[CORES];
    int runs = 0, threads = 0, error, listed = 0;
    while (!(error = next(node, &listed, &p))) {
        size_t n = strlen(names);
        if (!p.runs)
            continue;
        runs++;
        threads += p.threads;
        snprintf(names + n, sizeof(names) - n, " %s", p.name);
    }
    if (tell_error(node, error))
        return;
    uint64_t all = s->cores ? UINT64_MAX >> (64 - s->cores) : 0;
    if (s->awake_limit)
        snprintf(limit, sizeof(limit), "%u", s->awake_limit);
    list_cores(awake, s->core_awake & all);
    list_cores(dark, ~s->core_awake & ~s->core_waits & all);
    list_cores(waits, s->core_waits & ~s->core_awake & all);
    printf("%7d %5d %8d %6s  %-7s  %-7s  %-7s %s\n", node, runs, threads, limit, awake, dark, waits, names);
}

void tell_top(int argc, char **words)
{
    (void)argc;
    (void)words;
    printf("CLUSTER  RUNS  THREADS  LIMIT  AWAKE    DARK     WAITING  PROGRAMS\n");
    tell_each(tell_top_of);
}

/* Print the names in a folder; `named`: the folder's own before them. */
static void tell_folder(const char *path, bool named)
{
    DIR *folder = opendir(path);
    if (!folder) {
        perror(path);
        return;
    }
    if (named)
        printf("%s:\n", path);
    for (struct dirent *e; (e = readdir(folder));)
        if (e->d_name[0] != '.')
            printf("%s\n", e->d_name);
    closedir(folder);
}

void tell_files(int argc, char **words)
{
    if (argc == 1)
        tell_folder("/", false);
    for (int i = 1; i < argc; i++)
        tell_folder(words[i], argc > 2);
}

void tell_file(int argc, char **words)
{
    char part[256];
    for (int i = 1; i < argc; i++) {
        FILE *f = fopen(words[i], "r");
        if (!f) {
            perror(words[i]);
            continue;
        }
        for (size_t n; (n = fread(part, 1, sizeof(part), f));)
            fwrite(part, 1, n, stdout);
        if (ferror(f))
            perror(words[i]);
        fclose(f);
    }
}
