/* SPDX-License-Identifier: MIT */
/*
 * places.c - omp_* functions for places, devices and the display of settings. Each thread has a core of its own and
 * never leaves it, so there are no places to choose (OpenMP 5.1, 3.3), and no device but the host.
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "openmp.h"

#define OPENMP_VERSION 201511 /* what gcc 12 says in _OPENMP */

omp_proc_bind_t omp_get_proc_bind(void) { return omp_proc_bind_false; }
int omp_get_num_places(void) { return 0; }
int omp_get_place_num(void) { return -1; }
int omp_get_partition_num_places(void) { return 0; }
void omp_get_partition_place_nums(int *places) { (void)places; }

int omp_get_place_num_procs(int place)
{
    (void)place;
    return 0;
}

void omp_get_place_proc_ids(int place, int *ids) { (void)place, (void)ids; }

void omp_set_default_device(int device) { (void)device; }
int omp_get_default_device(void) { return 0; }
int omp_get_num_devices(void) { return 0; }
int omp_get_device_num(void) { return 0; }
int omp_get_initial_device(void) { return 0; }
int omp_is_initial_device(void) { return 1; }

/* There is nothing that a pause could give back. */
int omp_pause_resource(omp_pause_resource_t kind, int device)
{
    (void)kind;
    return device ? -1 : 0;
}

int omp_pause_resource_all(omp_pause_resource_t kind)
{
    (void)kind;
    return 0;
}

void omp_display_env(int verbose)
{
    (void)verbose;
    printf("OPENMP DISPLAY ENVIRONMENT BEGIN\n  _OPENMP = '%d'\n  OMP_NUM_THREADS = '%d'\n  OMP_DYNAMIC = 'FALSE'\n"
           "  OMP_CANCELLATION = '%s'\n  OMP_MAX_ACTIVE_LEVELS = '1'\n  OMP_THREAD_LIMIT = '%d'\n"
           "OPENMP DISPLAY ENVIRONMENT END\n",
           OPENMP_VERSION, omp_get_max_threads(), omp_self.cancels ? "TRUE" : "FALSE", omp_get_thread_limit());
}
