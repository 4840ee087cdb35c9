/* SPDX-License-Identifier: MIT */
/*
 * maps.c - checks the calls for memory and frames. arguments: [maps]: right and wrong values of every argument, the
 * POSIX functions, all memory of the process mapped and unmapped, lazy pages that two cores access at once, and a
 * second thread on another core that must not reach what is unmapped; the last line says whether all was right. [maps,
 * overflow | taken | sealed]: one fault. [maps, rounds, N]: N threads that map and unmap for ever.
 */
#include <amalgam/calls.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PROGRAM "maps"
#include "must.h"

#define PAGE 4096ul
#if defined(__x86_64__)
#define USER_BASE 0x8000000000ul
#define USER_END  0x10000000000ul
#define FAR_UP    (16ul << 30)
#define RETURN    "\xc3"
#elif __riscv_xlen == 64
#define USER_BASE 0x1000000000ul
#define USER_END  0x2000000000ul
#define FAR_UP    (16ul << 30)
#define RETURN    "\x67\x80\0\0"
#elif defined(__i386__)
#define USER_BASE 0xc0000000ul
#define USER_END  0xe0000000ul
#define FAR_UP    (1ul << 28)
#define RETURN    "\xc3"
#else
#define USER_BASE 0x10000000ul
#define USER_END  0x80000000ul
#define FAR_UP    (1ul << 29)
#define RETURN    "\x67\x80\0\0"
#endif
#define MORE  (1ul << 27)                    /* bytes: more than the process has, and below the tunnels */
#define PARTS (USER_END - (32ul << 20))      /* no call changes pages from here on */
#define FAR   ((char *)(USER_BASE + FAR_UP)) /* nothing is mapped there */

static int64_t map(const volatile void *at, size_t n, int how)
{
    return amalgam_map((void *)at, n, (enum amalgam_map)how);
}
static int64_t unmap(const volatile void *at, size_t n) { return amalgam_unmap((void *)at, n); }
static int64_t protect(const volatile void *at, size_t n, int how)
{
    return amalgam_protect((void *)at, n, (enum amalgam_protect)how);
}

static int is_zero(const char *at, size_t n)
{
    while (n--)
        if (*at++)
            return 0;
    return 1;
}

static void check_map(void)
{
    MUST(map(FAR + 1, PAGE, AMALGAM_MAP_WRITE) == -AMALGAM_EINVAL);
    MUST(map(FAR, 1, AMALGAM_MAP_WRITE) == -AMALGAM_EINVAL && map(FAR, 0, AMALGAM_MAP_WRITE) == -AMALGAM_EINVAL);
    MUST(map(0, PAGE + 1, AMALGAM_MAP_WRITE) == -AMALGAM_EINVAL && map(0, 0, AMALGAM_MAP_WRITE) == -AMALGAM_EINVAL);
    MUST(map((void *)PAGE, PAGE, 1) == -AMALGAM_EFAULT && map((void *)(USER_BASE - PAGE), PAGE, 1) == -AMALGAM_EFAULT);
    MUST(map((void *)USER_END, PAGE, 1) == -AMALGAM_EFAULT &&
         map((void *)(USER_END - PAGE), 2 * PAGE, 1) == -AMALGAM_EFAULT);
    MUST(map((void *)PARTS, PAGE, 1) == -AMALGAM_EFAULT && map((void *)(PARTS - PAGE), 2 * PAGE, 1) == -AMALGAM_EFAULT);
    MUST(map((void *)(PARTS - PAGE), PAGE, 1) > 0 && unmap((void *)(PARTS - PAGE), PAGE) == 0);
    MUST(map((void *)-PAGE, PAGE, 1) == -AMALGAM_EFAULT && map(FAR, -PAGE, 1) == -AMALGAM_EFAULT);
    MUST(map(FAR, MORE, 1) == -AMALGAM_ENOMEM && map(0, USER_END - USER_BASE, 1) < 0);
    MUST(map(FAR, PAGE, AMALGAM_MAP_64K + 1) == -AMALGAM_ERANGE && map(FAR, PAGE, -1) == -AMALGAM_ERANGE);
    MUST(map(FAR + PAGE, PAGE, AMALGAM_MAP_READ) == (int64_t)(uintptr_t)(FAR + PAGE) && !FAR[PAGE]);
    MUST(map(FAR, 3 * PAGE, AMALGAM_MAP_WRITE) == -AMALGAM_EEXIST); /* and the page before it is unmapped again */
    MUST(unmap(FAR + PAGE, PAGE) == 0);
    MUST(map(FAR, 3 * PAGE, AMALGAM_MAP_WRITE) > 0 && is_zero(FAR, 3 * PAGE));
    memset(FAR, 1, 3 * PAGE);
    MUST(unmap(FAR, 3 * PAGE) == 0 && unmap(FAR, 3 * PAGE) == 0);
    MUST(map(FAR, 3 * PAGE, AMALGAM_MAP_WRITE) > 0 && is_zero(FAR, 3 * PAGE) && unmap(FAR, 3 * PAGE) == 0);
}

static void check_unmap_and_protect(void)
{
    volatile uint32_t *word = (volatile uint32_t *)FAR;
    MUST(unmap(FAR + 8, PAGE) == -AMALGAM_EINVAL && unmap(FAR, 8) == -AMALGAM_EINVAL &&
         unmap(FAR, 0) == -AMALGAM_EINVAL);
    MUST(unmap(0, PAGE) == -AMALGAM_EFAULT && unmap((void *)(PARTS - PAGE), 2 * PAGE) == -AMALGAM_EFAULT);
    MUST(unmap((void *)PARTS, PAGE) == -AMALGAM_EFAULT && protect((void *)PARTS, PAGE, 0) == -AMALGAM_EFAULT);
    MUST(unmap(FAR, PARTS - (uintptr_t)FAR) == 0); /* the whole range that can be mapped */
    MUST(protect(FAR, PAGE, AMALGAM_PROTECT_READ) == -AMALGAM_EFAULT && map(FAR, 2 * PAGE, AMALGAM_MAP_WRITE) > 0);
    MUST(protect(FAR + 1, PAGE, 0) == -AMALGAM_EINVAL && protect(FAR, 1, 0) == -AMALGAM_EINVAL);
    MUST(protect(FAR, 0, 0) == -AMALGAM_EINVAL && protect(FAR, PAGE, 3) == -AMALGAM_ERANGE);
    MUST(protect((void *)PAGE, PAGE, 0) == -AMALGAM_EFAULT && protect(FAR, 3 * PAGE, 0) == -AMALGAM_EFAULT);
    *word = 7; /* the protect() that failed has changed nothing */
    memcpy(FAR + PAGE, RETURN, sizeof(RETURN) - 1);
    MUST(protect(FAR, PAGE, AMALGAM_PROTECT_READ) == 0 && *word == 7);
    MUST(protect(FAR + PAGE, PAGE, AMALGAM_PROTECT_EXEC) == 0);
#if defined(__riscv)
    __asm__ volatile("fence.i" ::: "memory");
#endif
    ((void (*)(void))(uintptr_t)(FAR + PAGE))();
    MUST(protect(FAR, PAGE, AMALGAM_PROTECT_WRITE) == 0 && ++*word == 8);
    MUST(unmap(FAR, 2 * PAGE) == 0);
    MUST(amalgam_wait((uint32_t *)FAR, 0, 0) == -AMALGAM_EFAULT);
}

static void check_frames(void)
{
    volatile char *here = FAR, *there = FAR + 3 * PAGE;
    int64_t frame = amalgam_frame_alloc();
    uint32_t n = (uint32_t)frame;
    MUST(frame >= 0 && amalgam_frame_map(FAR, n, AMALGAM_FRAME_MAP_WRITE) == 0 && is_zero(FAR, PAGE));
    MUST(amalgam_frame_map(FAR + 3 * PAGE, n, AMALGAM_FRAME_MAP_READ) == 0);
    *here = 7;
    MUST(*there == 7 && protect(here, PAGE, AMALGAM_PROTECT_EXEC) == -AMALGAM_EACCES);
    MUST(amalgam_frame_free(n) == 0 && amalgam_frame_free(n) == -AMALGAM_ENOENT &&
         amalgam_frame_free(0) == -AMALGAM_ENOENT);
    MUST(amalgam_frame_free(0xffffffff) == -AMALGAM_ENOENT && *there == 7);
    MUST(sizeof(uintptr_t) == sizeof(uint32_t) || /* a register of 32 bits holds no larger number */
         amalgam_call(AMALGAM_FRAME_FREE, (uintptr_t)UINT32_MAX + 1, 0, 0, 0) == -AMALGAM_ERANGE);
    MUST(amalgam_frame_map(FAR + PAGE, n, AMALGAM_FRAME_MAP_READ) == -AMALGAM_ENOENT);
    MUST(protect(there, PAGE, AMALGAM_PROTECT_EXEC) == -AMALGAM_EACCES && unmap(FAR, PAGE) == 0 && *there == 7);
    MUST(amalgam_frame_of(FAR + 3 * PAGE) == frame && amalgam_frame_of(FAR) == -AMALGAM_EFAULT);
    MUST(amalgam_frame_of(FAR + 1) == -AMALGAM_EINVAL && amalgam_frame_of((void *)PAGE) == -AMALGAM_EFAULT);
    MUST(amalgam_frame_of((void *)((uintptr_t)check_frames & -PAGE)) == -AMALGAM_EACCES);
    MUST(amalgam_frame_map(FAR + 3 * PAGE, n, AMALGAM_FRAME_MAP_READ) == -AMALGAM_EEXIST);
    MUST(amalgam_frame_map(FAR + 8, n, AMALGAM_FRAME_MAP_READ) == -AMALGAM_EINVAL);
    MUST(amalgam_frame_map((void *)USER_END, n, AMALGAM_FRAME_MAP_READ) == -AMALGAM_EFAULT &&
         amalgam_frame_map((void *)PARTS, n, AMALGAM_FRAME_MAP_READ) == -AMALGAM_EFAULT);
    MUST(amalgam_frame_of((void *)PARTS) == -AMALGAM_EFAULT);
    MUST(amalgam_call(AMALGAM_FRAME_MAP, (uintptr_t)FAR, n, AMALGAM_MAP_EXEC, 0) == -AMALGAM_ERANGE);
    MUST(unmap(there, PAGE) == 0 && protect(there, PAGE, 0) == -AMALGAM_EFAULT); /* the frame still has its number */
    MUST(amalgam_frame_map(FAR, n, AMALGAM_FRAME_MAP_READ) == 0 && *here == 7);
    MUST(amalgam_frame_free(n) == 0 && unmap(FAR, PAGE) == 0);
    MUST(map(FAR, PAGE, AMALGAM_MAP_READ) > 0 && is_zero(FAR, PAGE) && unmap(FAR, PAGE) == 0);
}

/* Map pages, at addresses that the kernel chooses, until there are no more. Returns how many there were. */
static unsigned take_all(void)
{
    struct {
        void *next;
    } *last = NULL, *page;
    unsigned n = 0;
    for (int64_t at; (at = map(0, PAGE, AMALGAM_MAP_WRITE)) > 0; n++) {
        page = (void *)(uintptr_t)at;
        MUST(is_zero((char *)page, PAGE));
        MUST(amalgam_wait((uint32_t *)((char *)page - PAGE), 1, 0) == -AMALGAM_EFAULT); /* unmapped on either side */
        MUST(amalgam_wait((uint32_t *)((char *)page + PAGE), 1, 0) == -AMALGAM_EFAULT);
        memset(page, 0xa5, PAGE);
        page->next = last;
        last = page;
    }
    MUST(map(FAR, PAGE, AMALGAM_MAP_WRITE) == -AMALGAM_ENOMEM);
    while (last) {
        page = last;
        last = page->next;
        MUST(unmap(page, PAGE) == 0);
    }
    return n;
}

static void check_posix(void)
{
    const int private = MAP_PRIVATE | MAP_ANONYMOUS;
    char *at = mmap(NULL, 5000, PROT_READ | PROT_WRITE, private, -1, 0);
    MUST(at != MAP_FAILED && is_zero(at, 2 * PAGE));
    at[2 * PAGE - 1] = 1;
    MUST(mmap(at + PAGE, PAGE, PROT_READ, private | MAP_FIXED, -1, 0) == at + PAGE && is_zero(at + PAGE, PAGE));
    MUST(mprotect(at, 100, PROT_READ) == 0 && mprotect(at, 0, PROT_READ) == 0);
    MUST(mprotect(at, PAGE, PROT_NONE) == -1 && errno == ENOTSUP);
    MUST(mprotect(at, 3 * PAGE, PROT_READ) == -1 && errno == ENOMEM && mprotect(at + 1, 1, PROT_READ) == -1 &&
         errno == EINVAL);
    MUST(munmap(at + 1, 1) == -1 && errno == EINVAL && munmap(at, 0) == -1 && munmap(0, 1) == -1 && errno == EINVAL);
    MUST(munmap(at, 2 * PAGE) == 0);
    MUST(mmap(NULL, 0, PROT_READ, private, -1, 0) == MAP_FAILED && errno == EINVAL);
    MUST(mmap(NULL, 1ul << 30, PROT_READ, private, -1, 0) == MAP_FAILED && errno == ENOMEM);
    MUST(mmap(NULL, PAGE, PROT_WRITE | PROT_EXEC, private, -1, 0) == MAP_FAILED && errno == ENOTSUP);
    MUST(mmap(NULL, PAGE, PROT_READ, MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == EINVAL);
    MUST(mmap(NULL, PAGE, PROT_READ, private, 3, 0) == MAP_FAILED && errno == ENOTSUP);
}

/* LAZY lazy pages, each accessed first in its own way. */
#define LAZY 8

static void check_lazy_pages(void)
{
    static const char nothing[8];
    char *at[LAZY], *end = FAR + (LAZY + 1) * PAGE;
    for (int i = 0; i < LAZY; i++)
        at[i] = FAR + (unsigned)(i + 1) * PAGE;
    MUST(map(FAR + 1, PAGE, AMALGAM_MAP_LAZY) == -AMALGAM_EINVAL && map(FAR, 0, AMALGAM_MAP_LAZY) == -AMALGAM_EINVAL);
    MUST(map((void *)PAGE, PAGE, AMALGAM_MAP_LAZY) == -AMALGAM_EFAULT);
    MUST(map(at[0], LAZY * PAGE, AMALGAM_MAP_LAZY) == (int64_t)(uintptr_t)at[0]);
    MUST(map(at[2], PAGE, AMALGAM_MAP_READ) == -AMALGAM_EEXIST && map(FAR, 2 * PAGE, 1) == -AMALGAM_EEXIST);
    at[0][PAGE - 1] = 1;
    MUST(is_zero(at[0], PAGE - 1) && is_zero(at[1], PAGE));
    MUST(amalgam_wait((uint32_t *)at[2], 1, 0) == -AMALGAM_EAGAIN && is_zero(at[2], PAGE));
    MUST(amalgam_console_write(at[3] + PAGE - 4, sizeof(nothing)) == sizeof(nothing)); /* and the page behind it */
    int64_t frame = amalgam_frame_of(at[5]);
    MUST(frame >= 0 && amalgam_frame_map(end, (uint32_t)frame, AMALGAM_FRAME_MAP_WRITE) == 0);
    *(volatile char *)end = 7;
    MUST(*(volatile char *)at[5] == 7 && amalgam_frame_free((uint32_t)frame) == 0 && unmap(end, PAGE) == 0);
    MUST(protect(at[0], LAZY * PAGE, AMALGAM_PROTECT_READ) == 0 && is_zero(at[6], PAGE)); /* some were accessed */
    MUST(protect(at[7], PAGE, AMALGAM_PROTECT_EXEC) == 0 && protect(at[7], PAGE, AMALGAM_PROTECT_WRITE) == 0);
    memcpy(at[7], RETURN, sizeof(RETURN) - 1);
    MUST(protect(at[7], PAGE, AMALGAM_PROTECT_EXEC) == 0 && amalgam_frame_of(at[7]) == -AMALGAM_EACCES);
    MUST(unmap(FAR, (LAZY + 2) * PAGE) == 0);
    int64_t here = map(0, 3 * PAGE, AMALGAM_MAP_LAZY);
    MUST(here > 0 && amalgam_wait((uint32_t *)(uintptr_t)(here - (int64_t)PAGE), 1, 0) == -AMALGAM_EFAULT);
    ((char *)(uintptr_t)here)[PAGE] = 1;
    MUST(unmap((void *)(uintptr_t)here, 3 * PAGE) == 0);
}

/* All memory may be promised, then there is none for others, and each page that is accessed gets what it was promised.
 */
static void check_promises(size_t pages)
{
    while (map(FAR, pages * PAGE, AMALGAM_MAP_LAZY) == -AMALGAM_ENOMEM)
        pages--;
    while (map(FAR + pages * PAGE, PAGE, AMALGAM_MAP_LAZY) > 0)
        pages++;
    MUST(pages > 10 && amalgam_frame_alloc() == -AMALGAM_ENOMEM && map(0, PAGE, AMALGAM_MAP_WRITE) == -AMALGAM_ENOMEM);
    for (size_t i = 0; i < pages; i++)
        FAR[i * PAGE] = 1;
    MUST(unmap(FAR, pages * PAGE) == 0);
}

/* Let other threads of this core run. */
static void nap(void) { amalgam_sleep_until(amalgam_clock() + 20000); }

static unsigned arrived;

/* Wait for the other one, then write each page. */
static void *add(void *unused)
{
    __atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL);
    for (unsigned turns = 1; __atomic_load_n(&arrived, __ATOMIC_ACQUIRE) % 2; turns++)
        if (turns % 1024 == 0) /* an emulator may not run the other core before */
            nap();
    for (int i = 0; i < LAZY; i++)
        __atomic_add_fetch((unsigned long *)(FAR + (unsigned)i * PAGE), 1, __ATOMIC_RELAXED);
    return unused;
}

/* Two cores access the same lazy pages at once: what either writes is there. */
static void check_lazy_together(int rounds)
{
    while (rounds--) {
        pthread_t other;
        MUST(map(FAR, LAZY * PAGE, AMALGAM_MAP_LAZY) > 0 && pthread_create(&other, NULL, add, NULL) == 0);
        add(NULL);
        MUST(pthread_join(other, NULL) == 0);
        for (int i = 0; i < LAZY; i++)
            MUST(*(unsigned long *)(FAR + (unsigned)i * PAGE) == 2);
        MUST(unmap(FAR, LAZY * PAGE) == 0);
    }
}

/* The other thread, on another core, lets the kernel read a page: it must not succeed after unmap() has returned. */
static volatile int64_t answer;
static volatile unsigned long asked;

static void *ask(void *word)
{
    do {
        answer = amalgam_wait(word, 1, 0);
        asked++;
    } while (answer != -AMALGAM_EFAULT);
    return NULL;
}

static void check_other_core(void)
{
    for (int i = 0; i < 10; i++) {
        pthread_t other;
        MUST(map(FAR, PAGE, AMALGAM_MAP_WRITE) > 0);
        unsigned long before = asked;
        MUST(pthread_create(&other, NULL, ask, FAR) == 0);
        while (asked < before + 3)
            nap();
        MUST(answer == -AMALGAM_EAGAIN && unmap(FAR, PAGE) == 0);
        before = asked;
        for (uint64_t end = amalgam_clock() + 200000000; answer != -AMALGAM_EFAULT && amalgam_clock() < end;)
            nap();
        MUST(answer == -AMALGAM_EFAULT && asked - before <= 2);
        MUST(pthread_join(other, NULL) == 0);
    }
}

static void *write_on(void *at)
{
    for (;;)
        ++*(volatile unsigned long *)at;
    return NULL;
}

/* The other thread writes a page in a loop without calls; after unmap() it must fault. */
static void lose(const char *what)
{
    pthread_t other;
    volatile unsigned long *at = (volatile unsigned long *)FAR;
    MUST(map(at, PAGE, AMALGAM_MAP_WRITE) > 0 && pthread_create(&other, NULL, write_on, FAR) == 0);
    while (*at < 1000)
        nap();
    MUST((strcmp(what, "taken") ? protect(at, PAGE, AMALGAM_PROTECT_READ) : unmap(at, PAGE)) == 0);
    amalgam_sleep_until(amalgam_clock() + 1000000000);
}

static volatile char sink;

static __attribute__((noipa)) int overflow(int depth)
{
    volatile char here[512];
    here[0] = (char)depth;
    sink = here[depth & 511];
    return depth < 0 ? here[0] : overflow(depth + 1) + here[0];
}

static void *run_over(void *unused)
{
    overflow(0);
    return unused;
}

static void *churn(void *number)
{
    char *own = FAR + ((uintptr_t)number << 24);
    for (unsigned long i = 0;; i++) {
        int64_t at = map(i % 3 ? 0 : own, (1 + i % 5) * PAGE, i % 2 ? AMALGAM_MAP_LAZY : AMALGAM_MAP_WRITE);
        if (at < 0)
            continue;
        if (i % 4 != 1)
            MUST(is_zero((char *)(uintptr_t)at, (1 + i % 5) * PAGE));
        *(volatile char *)(uintptr_t)at = 1;
        protect((void *)(uintptr_t)at, PAGE, AMALGAM_PROTECT_READ);
        MUST(unmap((void *)(uintptr_t)at, (1 + i % 5) * PAGE) == 0);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t other;
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "overflow")) {
        MUST(pthread_create(&other, NULL, run_over, NULL) == 0);
        pthread_join(other, NULL);
    } else if (!strcmp(what, "rounds")) {
        for (long i = 1; i < atol(argv[2]); i++)
            MUST(pthread_create(&other, NULL, churn, (void *)i) == 0);
        puts("maps: rounds");
        churn(0);
    } else if (*what) {
        lose(what);
    } else {
        check_map();
        check_unmap_and_protect();
        unsigned n = take_all(), again = take_all();
        MUST(n > 10 && n <= again + 2); /* tables are kept */
        check_frames();
        MUST(take_all() == again);
        check_lazy_pages();
        MUST(take_all() == again);
        check_promises(again);
        MUST(take_all() == again);
        check_posix();
        if (amalgam_info(AMALGAM_INFO_THREADS) > 1) {
            check_lazy_together(300);
            check_other_core();
        }
        MUST(take_all() + 8 > again);
        printf("maps: right, %u pages\n", again);
        return 0;
    }
    printf("maps: still here after %s\n", what);
    return 1;
}
