/* SPDX-License-Identifier: MIT */
/* jacobi_task.c - runs a Jacobi solver on each vCPU of the domain; two on one core show the cost of switching
 * floating-point state. */
#include "apps/jacobi.h"
#include <task/task.h>

#include <core/frames.h>
#include <core/log.h>
#include <hal/memory.h>
#include <hal/time.h>

#define PAGES (ALIGN_UP(sizeof(struct jacobi), PAGE_SIZE) / PAGE_SIZE)

static void jacobi_task_run(struct task *t, unsigned which)
{
    struct jacobi *j = pages_alloc(PAGES);
    if (!j) {
        task_print(t, "jacobi %u: no memory\n", which);
        return;
    }
    unsigned n = 1;
    ticks_t start = time_now();
    jacobi_setup(j);
    while (!jacobi_step(j) && !task_stopping())
        n++;
    ticks_t took = time_now() - start;
    task_print(t, "bench jacobi ticks-%u %llu\nbench jacobi iterations-%u %u\nbench jacobi error-e9-%u %llu\n", which,
               took, which, n, which, jacobi_error_e9(j));
    frames_free(virt_to_phys(j), PAGES);
}

TASK_APP(jacobi, .number = APP_JACOBI, .name = "jacobi", .fpu = true, .run = jacobi_task_run);
