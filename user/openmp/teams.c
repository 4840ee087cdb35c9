/* SPDX-License-Identifier: MIT */
/*
 * teams.c - `teams` on the host: the teams of a league run one after the other, each with all of the program's threads
 * for its parallel regions. OpenMP lets no team wait for another one.
 */
#include "openmp.h"

void GOMP_teams_reg(void (*fn)(void *), void *data, unsigned teams, unsigned limit, unsigned flags);
int omp_get_num_teams(void);
int omp_get_team_num(void);
int omp_get_max_teams(void);
void omp_set_num_teams(int n);
int omp_get_teams_thread_limit(void);
void omp_set_teams_thread_limit(int n);

static u32 number, count = 1;        /* of the team that runs; only thread 0 meets `teams`, outside of regions */
static u32 wanted, limit_of_threads; /* what the program has set; 0: nothing */

void GOMP_teams_reg(void (*fn)(void *), void *data, unsigned teams, unsigned limit, unsigned flags)
{
    u32 threads = omp_self.default_threads, outer = count;
    (void)flags;
    limit = limit ? limit : limit_of_threads;
    if (limit && limit < threads)
        omp_self.default_threads = limit;
    count = teams ? teams : wanted ? wanted : 1;
    for (number = 0; number < count; number++)
        fn(data);
    number = 0;
    count = outer;
    omp_self.default_threads = threads;
}

int omp_get_num_teams(void) { return (int)count; }
int omp_get_team_num(void) { return (int)number; }
int omp_get_max_teams(void) { return (int)wanted; }
void omp_set_num_teams(int n) { wanted = n > 0 ? (u32)n : wanted; }
int omp_get_teams_thread_limit(void) { return (int)limit_of_threads; }
void omp_set_teams_thread_limit(int n) { limit_of_threads = n > 0 ? (u32)n : limit_of_threads; }
