/* SPDX-License-Identifier: MIT */
/* pages.c - checks the pages of libnanvix: with right and wrong arguments, and all that there are, twice. */
#include <nanvix/sys/page.h>

#include "check.h"

#define MOST (UMEM_SIZE / PAGE_SIZE)

static vaddr_t page(unsigned long n) { return UBASE_VIRT + n * PAGE_SIZE; }

static void fill(unsigned long n)
{
    word_t *at = (word_t *)page(n);
    for (size_t i = 0; i < PAGE_SIZE / WORD_SIZE; i++) {
        MUST(!at[i]);
        at[i] = n + i;
    }
}

static void one(void)
{
    MUST(page_alloc(page(0)) == 0 && page_alloc(page(0)) == -EADDRINUSE);
    fill(0);
    MUST(page_free(page(0)) == 0 && page_free(page(0)) == -EFAULT && page_unmap(page(0)) == -EAGAIN);
    MUST(page_alloc(page(0)) == 0);
    fill(0); /* the page must be zero again */
    MUST(page_unmap(page(0)) == 0);
    MUST((int)kcall1(NR_upage_alloc, page(MOST - 1)) == 0 && (int)kcall1(NR_upage_free, page(MOST - 1)) == 0);
}

static void wrong(void)
{
    static const vaddr_t outside[] = { KBASE_VIRT, UBASE_VIRT - PAGE_SIZE, UBASE_VIRT + UMEM_SIZE, 0 };
    for (size_t i = 0; i < ARRAY_LENGTH(outside); i++) {
        MUST(page_alloc(outside[i]) == -EFAULT && page_free(outside[i]) == -EFAULT &&
             page_unmap(outside[i]) == -EFAULT);
        MUST(page_alloc(outside[i] + 1) == -EINVAL && page_free(outside[i] + 1) == -EINVAL);
        MUST(page_map(outside[i], 0) == -EFAULT && page_link(page(0), outside[i]) == -EFAULT);
        MUST(page_link(outside[i], page(0)) == -EFAULT);
    }
    MUST(page_map(page(0), 0) == -ENOSYS && page_link(page(0), page(1)) == -ENOSYS &&
         page_map(page(0) + 8, 0) == -EINVAL);
}

/* Allocate all pages that there are, free them, and return how many they were. */
static unsigned long all(void)
{
    unsigned long n = 0;
    int error = 0;
    while (n < MOST && !(error = page_alloc(page(n))))
        fill(n++);
    MUST(n > 8 && n < MOST && error == -EAGAIN);
    for (unsigned long i = 0; i < n; i++)
        MUST(*(word_t *)page(i) == i && page_free(page(i)) == 0);
    return n;
}

void ___start(int argc, const char *argv[], char **envp)
{
    UNUSED(argc), UNUSED(argv), UNUSED(envp);
    one();
    wrong();
    unsigned long n = all();
    MUST(all() == n && all() == n);
    uprintf("pages: right");
}
