/* SPDX-License-Identifier: MIT */
/*
 * pager.c - page faults that a thread of the program handles. arguments: [pager]: three threads read unmapped pages,
 * each in a different order, and the main thread makes calls in which the kernel reads and writes some; the last line
 * says whether all was right. [pager, none | own | gone | null]: one fault that is not handled: the process has no
 * pager; the fault is the pager's own; the pager ends instead of handling it; the address is NULL.
 */
#include <amalgam/calls.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "pager"
#include "must.h"

#define PAGE    4096ul
#define PAGES   16
#define READERS 3
/* Addresses that map() does not choose. In REGION the pager maps PAGES pages, one with text and two with words; it
 * fills them at SCRATCH. */
#if defined(__x86_64__)
#define REGION ((char *)0x8400000000ul)
#elif __riscv_xlen == 64
#define REGION ((char *)0x1400000000ul)
#else
#define REGION ((char *)0x30000000ul)
#endif
#define WORD    (REGION + (PAGES + 1) * PAGE) /* of a word that main() waits for */
#define ENDED   (WORD + PAGE)                 /* of a thread's exit word */
#define SCRATCH (REGION + (1ul << 20))
#define LAZY    (REGION + (1ul << 21)) /* two lazy pages, which are no matter of the pager's */
static const char text[] = "pager: from a page that was not there\n";
static unsigned faults, put_off;
static int pager_runs, ended_is_there;

static uint32_t number_of(uintptr_t page) { return (uint32_t)(page / PAGE * 2654435761u); }

/* Fill a frame at SCRATCH, then map it at `page`: so no thread sees an unfinished page. */
static void make(char *page)
{
    int64_t frame = amalgam_frame_alloc();
    MUST(frame >= 0 && !amalgam_frame_map(SCRATCH, (uint32_t)frame, AMALGAM_FRAME_MAP_WRITE));
    if (page == REGION + PAGES * PAGE)
        memcpy(SCRATCH, text, sizeof(text));
    else
        *(uint32_t *)SCRATCH = number_of((uintptr_t)page);
    MUST(!amalgam_unmap(SCRATCH, PAGE));
    enum amalgam_frame_map rights = page == ENDED ? AMALGAM_FRAME_MAP_WRITE : AMALGAM_FRAME_MAP_READ;
    int64_t shown = amalgam_frame_map(page, (uint32_t)frame, rights);
    MUST(!shown || shown == -AMALGAM_EEXIST); /* another thread may have faulted on it, too */
    MUST(!amalgam_frame_free((uint32_t)frame));
    if (page == ENDED)
        __atomic_store_n(&ended_is_there, 1, __ATOMIC_RELEASE);
}

static void *page_in(void *how)
{
    uint64_t *fault = (uint64_t *)(LAZY + PAGE); /* the kernel is the first to write there */
    MUST(amalgam_fault_wait(NULL) == -AMALGAM_EFAULT);
    __atomic_store_n(&pager_runs, 1, __ATOMIC_RELEASE);
    for (;;) {
        int64_t who = amalgam_fault_wait(fault);
        char *page = (char *)(uintptr_t)(fault[0] & ~(PAGE - 1));
        MUST(who >= 0 && fault[1]);
        if (how && !strcmp(how, "gone"))
            return NULL;
        if (how && !strcmp(how, "own"))
            return (void *)(uintptr_t)REGION[PAGE];
        MUST(page >= REGION && page <= ENDED);
        faults++;
        if (faults % 4 == 0)
            put_off++; /* not mapped: the thread will fault again */
        else
            make(page);
        MUST(!amalgam_fault_resume((uint32_t)who) && amalgam_fault_resume((uint32_t)who) == -AMALGAM_ENOENT);
    }
}

static void *read_all(void *step)
{
    for (uintptr_t i = 0, at = 0; i < PAGES; i++, at = (at + (uintptr_t)step) % PAGES) {
        volatile uint32_t *page = (volatile uint32_t *)(REGION + at * PAGE);
        MUST(*page == number_of((uintptr_t)page));
        ++*(volatile char *)LAZY;
    }
    return NULL;
}

static void end_at_once(void *word) { amalgam_thread_exit(word); }

/* Words that the kernel reads for wait and clears at a thread's end. Nobody else touches their pages before. */
static void words(void)
{
    static char stack[1024] __attribute__((aligned(16)));
    const uint32_t *word = (const uint32_t *)WORD, *ended = (const uint32_t *)ENDED;
    MUST(amalgam_wait(word, 0, AMALGAM_NEVER) == -AMALGAM_EAGAIN && *word == number_of((uintptr_t)word));
    MUST(amalgam_thread_create(end_at_once, stack + sizeof(stack), (void *)ENDED, NULL) >= 0);
    for (unsigned ms = 0; !__atomic_load_n(&ended_is_there, __ATOMIC_ACQUIRE); ms++) {
        MUST(ms < 1000);
        amalgam_sleep_until(amalgam_clock() + 1000000);
    }
    while (__atomic_load_n(ended, __ATOMIC_ACQUIRE))
        amalgam_wait(ended, number_of((uintptr_t)ended), AMALGAM_NEVER);
}

static void start_pager(void *how)
{
    pthread_t pager;
    MUST(!pthread_create(&pager, NULL, page_in, how));
    while (!__atomic_load_n(&pager_runs, __ATOMIC_ACQUIRE))
        amalgam_yield();
    amalgam_sleep_until((uint64_t)amalgam_clock() + 1000000); /* let it reach its wait */
}

int main(int argc, char **argv)
{
    pthread_t reader[READERS];
    MUST(amalgam_map(LAZY, 2 * PAGE, AMALGAM_MAP_LAZY) > 0);
    if (argc < 2 || strcmp(argv[1], "none"))
        start_pager(argc > 1 ? argv[1] : NULL);
    if (argc > 1)
        return *(volatile char *)(strcmp(argv[1], "null") ? REGION : NULL);
    MUST(amalgam_fault_wait(&(uint64_t[2]){ 0 }[0]) == -AMALGAM_EBUSY);
    MUST(amalgam_fault_resume(0) == -AMALGAM_ENOENT && amalgam_fault_resume(64) == -AMALGAM_ERANGE);
    MUST(amalgam_console_write(REGION + PAGES * PAGE, sizeof(text) - 1) == sizeof(text) - 1);
    for (uintptr_t i = 0; i < READERS; i++)
        MUST(!pthread_create(&reader[i], NULL, read_all, (void *)(2 * i + 1)));
    for (int i = 0; i < READERS; i++)
        MUST(!pthread_join(reader[i], NULL));
    words();
    MUST(faults >= PAGES + 3 + put_off && put_off);
    printf("pager: right, %u faults, %u of them twice\n", faults, put_off);
    return 0;
}
