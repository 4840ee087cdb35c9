/* SPDX-License-Identifier: MIT */
/* chip.h - what the files of an SCC's part of processes share. */
#ifndef AMALGAM_CHIP_CHIP_H
#define AMALGAM_CHIP_CHIP_H

#include <board/scc.h>
#include <chip/guest.h>
#include <process/chip.h>
#include <process/process.h>

#define MPB_AT     (SCC_MPB_SIZE - CHIP_MPB_SIZE) /* of the process's part, in each buffer */
#define LIVES_PAGE ALIGN_DOWN(CHIP_LIVES, PAGE_SIZE)

/* Returns 0, or the number + 1 of one of its cores whose kernel has ended since this run began; of the process that
 * has shared memory here. */
u32 chip_lost(const struct process *p);

/* info.c: make the page of information of a process, or for a guest that joins it. NULL: there is no memory. Boot. */
struct chip_info *chip_info_create(const struct sys_process *conf);
/* guest.c: return the cores on which a guest runs in the process's place. */
u64 chip_guests(const struct domain *d);

/* Return the pages of shared virtual memory of the processes before this one. */
static inline unsigned chip_svm_before(const struct sys_header *h, const struct sys_domain *d)
{
    unsigned pages = 0;
    for (unsigned i = 0; sys_domain(h, i) != d; i++)
        if (sys_domain(h, i)->kind == SYS_KIND_PROCESS)
            pages += sys_process(sys_domain(h, i))->svm_pages;
    return pages;
}

#endif
