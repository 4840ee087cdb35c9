/* SPDX-License-Identifier: MIT */
/* control.c - omp_* functions for the number of threads, levels, schedules and time (OpenMP 4.5, 3.2 and 3.4). */
#include "openmp.h"

int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_num_procs(void);
int omp_get_thread_limit(void);
int omp_in_parallel(void);
int omp_get_level(void);
int omp_get_active_level(void);
int omp_get_ancestor_thread_num(int level);
int omp_get_team_size(int level);
void omp_set_num_threads(int n);
void omp_set_dynamic(int on);
int omp_get_dynamic(void);
void omp_set_nested(int on);
int omp_get_nested(void);
void omp_set_max_active_levels(int n);
int omp_get_max_active_levels(void);
int omp_get_supported_active_levels(void);
void omp_set_schedule(u32 kind, int chunk);
void omp_get_schedule(u32 *kind, int *chunk);
double omp_get_wtime(void);
double omp_get_wtick(void);

int omp_get_thread_num(void) { return (int)omp_self.team.number; }
int omp_get_num_threads(void) { return (int)omp_self.team.threads; }
int omp_get_max_threads(void) { return (int)omp_self.default_threads; }
int omp_get_num_procs(void) { return (int)omp_self.all; }
int omp_get_thread_limit(void) { return (int)omp_self.all; }
int omp_in_parallel(void) { return omp_self.team.active != 0; }
int omp_get_level(void) { return (int)omp_self.team.level; }
int omp_get_active_level(void) { return (int)omp_self.team.active != 0; }

/* At most one level has more than one thread, so in all others the number is 0. */
int omp_get_ancestor_thread_num(int level)
{
    const struct omp_team *t = &omp_self.team;
    if (level < 0 || level > (int)t->level)
        return -1;
    return level == (int)t->level ? (int)t->number : level == (int)t->active ? (int)omp_self.id : 0;
}

int omp_get_team_size(int level)
{
    const struct omp_team *t = &omp_self.team;
    if (level < 0 || level > (int)t->level)
        return -1;
    return level == (int)t->level             ? (int)t->threads
           : level && level == (int)t->active ? (int)omp_self.words->fork.threads
                                              : 1;
}

void omp_set_num_threads(int n)
{
    if (n > 0)
        omp_self.default_threads = (u32)n;
}

/* A team has as many threads as were asked for, up to the program's cores, and there is one active level: these
 * settings have no effect. */
void omp_set_dynamic(int on) { (void)on; }
int omp_get_dynamic(void) { return 0; }
void omp_set_nested(int on) { (void)on; }
int omp_get_nested(void) { return 0; }
void omp_set_max_active_levels(int n) { (void)n; }
int omp_get_max_active_levels(void) { return 1; }
int omp_get_supported_active_levels(void) { return 1; }

void omp_set_schedule(u32 kind, int chunk)
{
    kind &= 0x7fffffff; /* omp_sched_monotonic: all schedules here are monotonic */
    if (kind < SCHEDULE_STATIC || kind > SCHEDULE_AUTO)
        return;
    omp_self.schedule = kind;
    omp_self.schedule_chunk = chunk > 0 ? (u32)chunk : kind == SCHEDULE_STATIC || kind == SCHEDULE_AUTO ? 0 : 1;
}

void omp_get_schedule(u32 *kind, int *chunk)
{
    *kind = omp_self.schedule;
    *chunk = (int)omp_self.schedule_chunk;
}

double omp_get_wtime(void)
{
    u32 low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (double)((uint64_t)high << 32 | low) / (omp_self.calls->khz * 1000.0);
}

double omp_get_wtick(void) { return 1.0 / (omp_self.calls->khz * 1000.0); }
