/* SPDX-License-Identifier: MIT */
/* jacobi_task.c - runs one Jacobi solver a vCPU of the domain; two on one core show the cost of floating-point
 * switches. */
#include "apps/jacobi.h"
#include "task.h"

#include <core/frames.h>
#include <core/log.h>
#include <hal/memory.h>
#include <hal/time.h>

#define PAGES (ALIGN_UP(sizeof(struct jacobi), PAGE_SIZE) / PAGE_SIZE)

static void run(struct task *t, unsigned which)
{
    paddr_t pa = frames_alloc(PAGES, PAGE_SIZE);
    if (pa == (paddr_t)-1) {
        task_print(t, "jacobi %u: no memory\n", which);
        return;
    }
    struct jacobi *j = phys_to_virt(pa);
    unsigned n = 1;
    ticks_t start = time_now();
    jacobi_setup(j);
    while (!jacobi_step(j) && !task_stopping())
        n++;
    ticks_t took = time_now() - start;
    task_print(t, "bench jacobi ticks-%u %lu\n", which, (unsigned long)took);
    task_print(t, "bench jacobi iterations-%u %u\n", which, n);
    task_print(t, "bench jacobi error-e9-%u %lu\n", which, (unsigned long)jacobi_error_e9(j));
    frames_free(pa, PAGES);
}

const struct task_app jacobi_app = { .name = "jacobi", .fpu = true, .run = run };
