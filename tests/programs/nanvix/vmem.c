/* SPDX-License-Identifier: MIT */
/*
 * vmem.c - a program of libnanvix that uses remote memory by its addresses: a heap of more than is here at a time, read
 * and written by two threads; copies that see what was stored; a call of the kernel whose text is remote. It ends by an
 * access to memory that it has freed, which the kernel reports.
 */
#include <nanvix/runtime/runtime.h>
#include <nanvix/sys/dev.h>
#include <nanvix/sys/noc.h>
#include <posix/stdlib.h>

#include "../../../user/programs/nanvix/check.h"

#define WORDS (40 * RMEM_BLOCK_SIZE / sizeof(unsigned))

static unsigned word_of(unsigned i, unsigned salt) { return i * 2654435761u + salt; }

static void fill(unsigned *words, unsigned salt)
{
    for (unsigned i = 0; i < WORDS; i++)
        words[i] = word_of(i, salt);
    for (unsigned i = 0; i < WORDS; i++)
        MUST(words[i] == word_of(i, salt));
}

static void *work(void *unused)
{
    unsigned *words = nanvix_malloc(WORDS * sizeof(unsigned));
    MUST(words && !((uintptr_t)words % (2 * sizeof(void *))));
    fill(words, 7);
    nanvix_free(words);
    return unused;
}

static void *first_page(void)
{
    void *page = NULL;
    for (int i = 0; i < 1000 && !page; i++)
        page = nanvix_vmem_alloc(1);
    return page;
}

static void copies_and_accesses_agree(char *page)
{
    static const char text[] = "vmem: this text is remote\n";
    char back[sizeof(text)];
    MUST(nanvix_vmem_write(page + 100, text, sizeof(text)) == sizeof(text));
    MUST(page[100] == 'v' && page[105] == ' ' && page[99] == 0);
    page[100] = 'V';
    MUST(nanvix_vmem_read(back, page + 100, sizeof(text)) == sizeof(text) && back[0] == 'V');
    MUST(nanvix_vmem_read(back, page + RMEM_BLOCK_SIZE - 1, 2) == 0 && nanvix_vmem_free(page + 1) == -EFAULT);
    nanvix_write(1, page + 100, sizeof(text) - 1);
}

static void last_page_in_a_full_table(void)
{
    void *rest = nanvix_vmem_alloc(VMEM_PAGES);
    MUST(!rest && !nanvix_vmem_alloc(0) && !nanvix_malloc(0) && !nanvix_malloc((size_t)-1));
    MUST(nanvix_vmem_free(NULL) == -EFAULT && nanvix_rfault(UBASE_VIRT) == -EFAULT);
}

void ___start(int argc, const char *argv[], char **envp)
{
    kthread_t other;
    UNUSED(argc), UNUSED(argv), UNUSED(envp);
    knoc_init();
    volatile char *page = first_page();
    MUST(page && __runtime_setup(-1) == -EINVAL);
    MUST(__runtime_setup(SPAWN_RING_5) == 0);
    copies_and_accesses_agree((char *)page);
    last_page_in_a_full_table();
    unsigned *words = nanvix_malloc(WORDS * sizeof(unsigned));
    MUST(words && kthread_create(&other, work, NULL) == 0);
    fill(words, 3);
    MUST(kthread_join(other, NULL) == 0);
    for (unsigned i = 0; i < WORDS; i++)
        MUST(words[i] == word_of(i, 3));
    nanvix_free(words);
    MUST(*page == 0 && nanvix_vmem_free((void *)page) == 0);
    uprintf("vmem: right");
    *page = 1;
    uprintf("vmem: wrong, freed memory is there");
}
