/* SPDX-License-Identifier: MIT */
/* faults.c - page faults that a thread of libnanvix handles: another thread reads pages, which the first one allocates
 * when the reader faults. */
#include <nanvix/sys/excp.h>
#include <nanvix/sys/noc.h>
#include <nanvix/sys/page.h>

#include "../../../user/programs/nanvix/check.h"

#define MISSED 3 /* pages */

static void *page_in(void *first)
{
    for (vaddr_t at = (vaddr_t)first; at < (vaddr_t)first + MISSED * PAGE_SIZE; at += PAGE_SIZE) {
        struct exception found;
        MUST(excp_pause(&found) == 0 && exception_get_num(&found) == EXCEPTION_PAGE_FAULT);
        MUST(exception_get_addr(&found) == at + 8 && exception_get_instr(&found));
        MUST(page_alloc(at) == 0);
        *(volatile uint32_t *)at = (uint32_t)(at >> PAGE_SHIFT);
        MUST(excp_resume() == 0 && excp_resume() == -EINVAL);
    }
    return NULL;
}

void ___start(int argc, const char *argv[], char **envp)
{
    const vaddr_t first = UBASE_VIRT + 64 * PAGE_SIZE;
    kthread_t pager;
    UNUSED(argc), UNUSED(argv), UNUSED(envp);
    knoc_init();
    MUST(excp_pause(NULL) == -EPERM && excp_resume() == -EINVAL);
    for (int i = 0; i < EXCEPTIONS_NUM; i++)
        MUST(excp_ctrl(i, EXCP_ACTION_HANDLE) == 0);
    MUST(excp_ctrl(EXCEPTION_PAGE_FAULT, EXCP_ACTION_IGNORE) == 0);
    MUST(excp_ctrl(EXCEPTION_PAGE_FAULT, EXCP_ACTION_HANDLE) == 0);
    MUST(kthread_create(&pager, page_in, (void *)first) == 0);
    MUST(*(volatile uint32_t *)(first + 8) == 0); /* it waits for the other thread's excp_pause() */
    MUST(excp_ctrl(EXCEPTION_PAGE_FAULT, EXCP_ACTION_IGNORE) == -EPERM && excp_pause(NULL) == -EBUSY);
    MUST(page_free(first + 60 * PAGE_SIZE) == -EFAULT); /* no matter of the other thread's */
    for (vaddr_t at = first; at < first + MISSED * PAGE_SIZE; at += PAGE_SIZE) {
        MUST(*(volatile uint32_t *)(at + 8) == 0 && *(volatile uint32_t *)at == (uint32_t)(at >> PAGE_SHIFT));
        MUST(page_free(at) == 0);
    }
    MUST(kthread_join(pager, NULL) == 0);
    uprintf("faults: right");
}
