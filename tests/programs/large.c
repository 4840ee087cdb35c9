/* SPDX-License-Identifier: MIT */
/*
 * large.c - checks large pages, with a first argument 64k those of 64 KiB. arguments: [large]: right and wrong values
 * of map's arguments, all of a page written and read by the program and by the kernel, rights, ranges that would cut
 * one, all memory as such pages, as small ones and as such again, 50 times or [large, times, N], two threads that map
 * and unmap at the same places; the last line says whether all was right, or that the machine has none. [large, taken |
 * sealed]: another thread loses one, or may not write it any more.
 */
#include <amalgam/calls.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "large"
#include "../../user/programs/must.h"

#define PAGE 4096ul
#if defined(__riscv)
#define RETURN "\x67\x80\0\0"
#else
#define RETURN "\xc3"
#endif
#if defined(__x86_64__)
#define USER_END 0x10000000000ul
#define FAR_AT   0x8400000000ul
#elif defined(__riscv) && __riscv_xlen == 64
#define USER_END 0x2000000000ul
#define FAR_AT   0x1400000000ul
#elif defined(__i386__)
#define USER_END 0xe0000000ul
#define FAR_AT   0xd0000000ul
#else
#define USER_END 0x80000000ul
#define FAR_AT   0x30000000ul
#endif
#if defined(__riscv) && __riscv_xlen == 32
#define LARGE (4ul << 20)
#else
#define LARGE (2ul << 20)
#endif
#define FAR   ((char *)FAR_AT)          /* nothing is mapped there */
#define PARTS (USER_END - (32ul << 20)) /* no call changes pages from here on */
#define MOST  512                       /* such pages that a process can have */
#define MORE  (64ul << 20)              /* bytes: more than it has */

static unsigned times = 50; /* that all memory is taken, and that each thread has a page */
/* The pages that are checked. */
static size_t large = LARGE;
static enum amalgam_map kind = AMALGAM_MAP_LARGE;

static int64_t map(const volatile void *at, size_t n, enum amalgam_map how) { return amalgam_map((void *)at, n, how); }
static int64_t unmap(const volatile void *at, size_t n) { return amalgam_unmap((void *)at, n); }
static int64_t protect(const volatile void *at, size_t n, enum amalgam_protect how)
{
    return amalgam_protect((void *)at, n, how);
}
static char *pointer(int64_t address) { return (char *)(uintptr_t)address; }

static int is(const char *at, size_t n, unsigned long value)
{
    const unsigned long *word = (const unsigned long *)(const void *)at;
    for (size_t i = 0; i < n / sizeof(*word); i++)
        if (word[i] != value)
            return 0;
    return 1;
}

/* What the kernel answers when it reads a word of a page. */
static int64_t kernel_reads(const char *at) { return amalgam_wait((const uint32_t *)(const void *)at, 0x5eed, 0); }

/* Each of its small pages' worth is memory of its own, for the program and for the kernel. */
static void check_parts(char *at)
{
    for (uint32_t i = 0; i < large / PAGE; i++)
        *(uint32_t *)(void *)(at + i * PAGE) = i;
    for (uint32_t i = 0; i < large / PAGE; i++) {
        const uint32_t *word = (const uint32_t *)(const void *)(at + i * PAGE);
        MUST(*word == i && amalgam_wait(word, i, 0) == -AMALGAM_ETIMEDOUT);
    }
}

static void check_arguments(void)
{
    MUST(map(FAR + PAGE, large, kind) == -AMALGAM_EINVAL);
    MUST(map(FAR, PAGE, kind) == -AMALGAM_EINVAL && map(0, PAGE, kind) == -AMALGAM_EINVAL);
    MUST(map(FAR, large + PAGE, kind) == -AMALGAM_EINVAL);
    MUST(map(FAR, 0, kind) == -AMALGAM_EINVAL);
    MUST(map((void *)large, large, kind) == -AMALGAM_EFAULT);
    MUST(map((void *)PARTS, large, kind) == -AMALGAM_EFAULT);
    MUST(map((void *)(PARTS - large), 2 * large, kind) == -AMALGAM_EFAULT);
    MUST(map((void *)-large, large, kind) == -AMALGAM_EFAULT);
    MUST(map(FAR, MORE, kind) == -AMALGAM_ENOMEM && map(0, MORE, kind) == -AMALGAM_ENOMEM);
    MUST(map((void *)(PARTS - large), large, kind) > 0 && unmap((void *)(PARTS - large), large) == 0);
}

static void check_one(void)
{
    MUST(map(FAR, large, kind) == (int64_t)FAR_AT);
    MUST(map(FAR, large, kind) == -AMALGAM_EEXIST && map(FAR + PAGE, PAGE, 0) == -AMALGAM_EEXIST);
    MUST(amalgam_frame_of(FAR + PAGE) == -AMALGAM_EACCES);
    MUST(is(FAR, large, 0));
    memset(FAR, 0x5a, large);
    MUST(is(FAR, large, (unsigned long)0x5a5a5a5a5a5a5a5aull));
    check_parts(FAR);
    memcpy(FAR + large - 6, "large\n", 6); /* the kernel reads the end of the page */
    MUST(amalgam_console_write(FAR + large - 6, 6) == 6);
    MUST(amalgam_console_write(FAR + large - 6, 7) == -AMALGAM_EFAULT);
    MUST(kernel_reads(FAR + large / 2) == -AMALGAM_EAGAIN && kernel_reads(FAR + large) == -AMALGAM_EFAULT);
    MUST(unmap(FAR, PAGE) == -AMALGAM_EINVAL && unmap(FAR + PAGE, large - PAGE) == -AMALGAM_EINVAL);
    MUST(unmap(FAR - PAGE, large) == -AMALGAM_EINVAL && unmap(FAR + large / 2, large) == -AMALGAM_EINVAL);
    MUST(protect(FAR, PAGE, AMALGAM_PROTECT_READ) == -AMALGAM_EINVAL);
    MUST(protect(FAR + PAGE, large - PAGE, AMALGAM_PROTECT_READ) == -AMALGAM_EINVAL);
    MUST(protect(FAR, 2 * large, AMALGAM_PROTECT_READ) == -AMALGAM_EFAULT);
    FAR[0] = 1; /* nothing was changed */
    MUST(protect(FAR, large, AMALGAM_PROTECT_READ) == 0 && FAR[0] == 1 && FAR[large - 1] == '\n');
    MUST(protect(FAR, large, AMALGAM_PROTECT_WRITE) == 0);
    memcpy(FAR + large / 2, RETURN, sizeof(RETURN) - 1);
    MUST(protect(FAR, large, AMALGAM_PROTECT_EXEC) == 0);
#if defined(__riscv)
    __asm__ volatile("fence.i" ::: "memory");
#endif
    ((void (*)(void))(FAR_AT + large / 2))();
    MUST(unmap(FAR - large, 3 * large) == 0 && kernel_reads(FAR) == -AMALGAM_EFAULT);
    MUST(map(FAR, large, kind) > 0 && is(FAR, large, 0) && unmap(FAR, large) == 0);
    MUST(map(FAR, PAGE, AMALGAM_MAP_WRITE) > 0 && unmap(FAR, PAGE) == 0);
    int64_t where_a_small_one_was = map(FAR, large, kind); /* for a large page its table is in the way */
    if (kind == AMALGAM_MAP_LARGE)
        MUST(where_a_small_one_was == -AMALGAM_EEXIST);
    else
        MUST(where_a_small_one_was > 0 && unmap(FAR, large) == 0);
}

/* Map large pages where the kernel chooses until there are no more, and unmap them. Returns how many there were. */
static unsigned take_all(void)
{
    static char *at[MOST];
    unsigned n = 0;
    for (int64_t address; n < MOST && (address = map(0, large, kind)) > 0; n++) {
        at[n] = pointer(address);
        MUST(address % (int64_t)large == 0 && is(at[n], PAGE, 0) && is(at[n] + large - PAGE, PAGE, 0));
        MUST(kernel_reads(at[n] - PAGE) == -AMALGAM_EFAULT && kernel_reads(at[n] + large) == -AMALGAM_EFAULT);
        at[n][0] = at[n][large - 1] = 1;
    }
    MUST(map(0, large, kind) == -AMALGAM_ENOMEM);
    for (unsigned i = 0; i < n; i++)
        MUST(unmap(at[i], large) == 0);
    return n;
}

/* Small pages take more than a large one's memory, and give it back. Returns how many large ones there are then. */
static unsigned take_small(void)
{
    char *at = FAR + 16 * large;
    const size_t n = large + large / 8;
    MUST(map(at, n, AMALGAM_MAP_WRITE) > 0 && is(at, n, 0));
    memset(at, 1, n);
    unsigned beside = take_all();
    MUST(unmap(at, n) == 0);
    unsigned again = take_all();
    MUST(beside <= again);
    return again;
}

/* Both threads want the same place; who has it finds it zero. */
static void *churn(void *unused)
{
    for (unsigned i = 0, had = 0; had < times; i++) {
        char *shared = FAR + 8 * large;
        int64_t at = map(i % 2 ? shared : 0, large, kind);
        if (at < 0) {
            MUST(at == -AMALGAM_EEXIST || at == -AMALGAM_ENOMEM);
            amalgam_sleep_until(amalgam_clock() + 20000);
            continue;
        }
        MUST(is(pointer(at), PAGE, 0) && is(pointer(at) + large - PAGE, PAGE, 0));
        pointer(at)[8] = pointer(at)[large - 8] = 1;
        MUST(unmap(pointer(at), large) == 0);
        had++;
    }
    return unused;
}

static void check_together(void)
{
    pthread_t other;
    MUST(pthread_create(&other, NULL, churn, NULL) == 0);
    churn(NULL);
    MUST(pthread_join(other, NULL) == 0);
}

static void *write_on(void *at)
{
    for (;;)
        ++*(volatile unsigned long *)at;
    return NULL;
}

/* The other thread writes in a loop without calls; then it must fault. */
static int lose(const char *what)
{
    pthread_t other;
    volatile unsigned long *at = (volatile unsigned long *)(FAR_AT + large / 2);
    MUST(map(FAR, large, kind) > 0 && pthread_create(&other, NULL, write_on, (void *)at) == 0);
    while (*at < 1000)
        amalgam_sleep_until(amalgam_clock() + 20000);
    MUST((strcmp(what, "taken") ? protect(FAR, large, AMALGAM_PROTECT_READ) : unmap(FAR, large)) == 0);
    amalgam_sleep_until(amalgam_clock() + 1000000000);
    printf("large: still here after %s\n", what);
    return 1;
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "64k")) {
        large = 64ul << 10;
        kind = AMALGAM_MAP_64K;
        argc--, argv++;
    }
    if (map(FAR, large, kind) == -AMALGAM_EOPNOTSUPP) {
        MUST(map(FAR, large, (enum amalgam_map)(AMALGAM_MAP_64K + 1)) == -AMALGAM_ERANGE);
        puts("large: there are none");
        return 0;
    }
    MUST(unmap(FAR, large) == 0);
    if (argc > 2)
        times = (unsigned)strtoul(argv[2], NULL, 10);
    else if (argc > 1)
        return lose(argv[1]);
    check_arguments();
    check_one();
    unsigned n = take_all();
    MUST(n > 0);
    for (unsigned i = 0; i < times; i++)
        MUST(take_all() == n);
    unsigned again = take_small();
    MUST(again <= n && n <= again + 1); /* the tables of small pages are kept */
    for (unsigned i = 0; i < 5; i++)
        MUST(take_small() == again);
    if (amalgam_info(AMALGAM_INFO_THREADS) > 1)
        check_together();
    printf("large: right, %u pages\n", n);
    return 0;
}
