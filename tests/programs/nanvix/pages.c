/* SPDX-License-Identifier: MIT */
/* pages.c - checks the pages of libnanvix: with right and wrong arguments, and all that there are, twice. */
#include <nanvix/sys/frame.h>
#include <nanvix/sys/page.h>

#include "../../../user/programs/nanvix/check.h"

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
    MUST(page_map(page(0), 0) == -EFAULT && page_link(page(0), page(1)) == -EFAULT &&
         page_map(page(0) + 8, 0) == -EINVAL);
}

/* A frame is its number's until that is freed, whatever is mapped of it; what was written to it stays so long. */
static void frames(void)
{
    frame_t f = kframe_alloc();
    MUST(f == frame_id_to_num(0) && page_map(page(2), f) == 0 && page_map(page(2), f) == -EADDRINUSE);
    fill(2);
    MUST(page_map(page(3), f) == 0 && *(word_t *)page(3) == 2);
    MUST(page_unmap(page(2)) == 0 && page_unmap(page(2)) == -EAGAIN && page_free(page(3)) == 0);
    MUST(page_map(page(2), f) == 0 && *(word_t *)page(2) == 2); /* it was not cleared */
    MUST(kframe_free(f) == 0 && kframe_free(f) == -EFAULT && page_map(page(3), f) == -EFAULT);
    MUST(*(word_t *)page(2) == 2 && page_free(page(2)) == 0);
    f = kcall0(NR_frame_alloc);
    MUST((int)kcall2(NR_upage_map, page(2), f) == 0);
    fill(2); /* zero, whoever had it before */
    MUST(page_free(page(2)) == 0 && (int)kcall1(NR_frame_free, f) == 0);
}

/* A link is as good as the page: each of the two keeps the frame. A frame that has a number keeps it. */
static void links(void)
{
    MUST(page_alloc(page(0)) == 0 && page_link(page(0), page(1)) == 0 && page_link(page(0), page(1)) == -EADDRINUSE);
    fill(0);
    MUST(*(word_t *)page(1) == 0 && ((word_t *)page(1))[1] == 1 && page_free(page(0)) == 0);
    MUST(((word_t *)page(1))[1] == 1 && page_link(page(0), page(2)) == -EFAULT);
    MUST((int)kcall2(NR_upage_link, page(1), page(0)) == 0 && ((word_t *)page(0))[1] == 1);
    MUST(page_free(page(1)) == 0 && page_free(page(0)) == 0);
    frame_t f = kframe_alloc();
    MUST(page_map(page(0), f) == 0 && page_link(page(0), page(1)) == 0);
    MUST(page_free(page(0)) == 0 && page_free(page(1)) == 0 && kframe_free(f) == 0);
}

/* Allocate all frames that there are, with their numbers only, free them, and return how many they were. */
static unsigned long all_frames(void)
{
    unsigned long n = 0;
    static frame_t had[MOST];
    while ((had[n] = kframe_alloc()) != FRAME_NULL)
        n++;
    MUST(n > 8 && n < MOST && page_alloc(page(0)) == -EAGAIN);
    for (unsigned long i = 0; i < n; i++)
        MUST(kframe_free(had[i]) == 0);
    return n;
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
    MUST(kframe_free(FRAME_NULL) == -EINVAL && kframe_free(0) == -EINVAL);
    MUST(kframe_free(frame_id_to_num(NUM_UFRAMES)) == -EINVAL && kframe_free(frame_id_to_num(0)) == -EFAULT);
    MUST(page_map(page(0), 0) == -EFAULT && page_map(page(0), frame_id_to_num(0)) == -EFAULT);
    frames();
    links();
    unsigned long n = all();
    MUST(all() == n && all() == n);
    unsigned long m = all_frames();
    MUST(all_frames() == m && all() == n);
    uprintf("pages: right");
}
