/* SPDX-License-Identifier: MIT */
/*
 * `order WAY`: UE 0 hands a line of its buffer to UE 1, which has a copy of it in its cache, by one way
 * that the library has. Each way uses nothing else that would bring stores to memory or drop copies: where the two have
 * to wait for each other beside it, they do so by words that nobody caches.
 */
#define GORY
#include <RCCE.h>
#include <RCCE_lib.h>
#include <iRCCE.h>
#include <stdio.h>
#include <string.h>

enum { VALUE = 42, LINE = 32, FAR = 8192 };

static volatile int *word, *far_off;
static t_vcharp line; /* two lines of the own buffer */
static RCCE_FLAG flag;
static iRCCE_AIR *air;
static int private[LINE / 4] = { VALUE };

static void tell(int i) { word[i] = 1; }

static void await(int i)
{
    while (!word[i])
        __asm__ volatile("pause");
}

static void rest(void)
{
    for (int i = 0; i < 1000; i++)
        __asm__ volatile("pause");
}

/* The first line in a UE's buffer; the second one is 8 words behind. */
static volatile int *in(int ue)
{
    return (volatile int *)(RC_COMM_BUFFER_START(ue) + (line - RC_COMM_BUFFER_START(RCCE_ue())));
}

static void store(void) { *in(0) = VALUE; }
static int load(void) { return *in(0); }

static void give_by_fence(void)
{
    store();
    RCCE_fence();
    tell(1);
}

static int take_by_fence(void)
{
    await(1);
    RCCE_fence();
    return load();
}

static int take_invalidated(void)
{
    await(1);
    RC_cache_invalidate();
    return load();
}

static void give_by_barrier(void)
{
    store();
    RCCE_barrier(&RCCE_COMM_WORLD);
}

static int take_by_barrier(void)
{
    RCCE_barrier(&RCCE_COMM_WORLD);
    return load();
}

static void give_by_flag(void)
{
    store();
    RCCE_flag_write(&flag, RCCE_FLAG_SET, 1);
}

static int take_by_flag(void)
{
    RCCE_wait_until(flag, RCCE_FLAG_SET);
    return load();
}

static void give_by_lock(void)
{
    RCCE_acquire_lock(0);
    tell(1);
    store();
    RCCE_release_lock(0);
}

static int take_by_lock(void)
{
    await(1);
    RCCE_acquire_lock(0);
    RC_cache_invalidate();
    return load();
}

static void give_by_queue(void)
{
    RCCE_acquire_queuelock(0);
    store();
    RCCE_release_queuelock(0);
    tell(1);
}

static int take_by_queue(void)
{
    await(1);
    RCCE_acquire_queuelock(0);
    RC_cache_invalidate();
    return load();
}

/* UE 1 comes into the queue while UE 0 has the lock. */
static void give_in_queue(void)
{
    RCCE_acquire_queuelock(0);
    tell(1);
    rest();
    store();
    RCCE_release_queuelock(0);
}

static void give_by_put(void)
{
    RCCE_put(line, (t_vcharp) private, LINE, 1);
    tell(1);
}

static int take_put(void)
{
    await(1);
    RC_cache_invalidate();
    return *in(1);
}

static int take_and_put(void)
{
    await(1);
    RCCE_put(line + LINE, (t_vcharp)in(0), LINE, 1);
    return in(1)[LINE / 4];
}

static int take_by_get(void)
{
    int got[LINE / 4];
    await(1);
    RCCE_get((t_vcharp)got, line, LINE, 0);
    return got[0];
}

/* From UE 1's second line, which has the value. */
static void give_by_get(void)
{
    RCCE_get(line, line + LINE, LINE, 1);
    tell(1);
}

static void give_by_memcpy(void)
{
    RCCE_memcpy_put((void *)in(0), private, LINE);
    tell(1);
}

static int take_by_memcpy(void)
{
    int got[LINE / 4];
    await(1);
    RCCE_memcpy_get(got, (void *)in(0), LINE);
    return got[0];
}

static void give_shared(void)
{
    *far_off = VALUE;
    RCCE_shflush();
    RCCE_flag_write(&flag, RCCE_FLAG_SET, 1);
}

static int take_shared(void)
{
    RCCE_wait_until(flag, RCCE_FLAG_SET);
    return *far_off;
}

static void give_by_increment(void)
{
    store();
    iRCCE_atomic_inc(air, NULL);
}

static void give_by_counter(void)
{
    store();
    iRCCE_atomic_write(air, 1);
}

static int take_by_counter(void)
{
    int value = 0;
    while (!value) {
        iRCCE_atomic_read(air, &value);
        __asm__ volatile("pause");
    }
    RC_cache_invalidate();
    return load();
}

static const struct way {
    const char *name;
    void (*give)(void);
    int (*take)(void);
} ways[] = {
    { "fence", give_by_fence, take_by_fence },
    { "invalidate", give_by_fence, take_invalidated },
    { "barrier", give_by_barrier, take_by_barrier },
    { "flag", give_by_flag, take_by_flag },
    { "lock", give_by_lock, take_by_lock },
    { "queue", give_by_queue, take_by_queue },
    { "queued", give_in_queue, take_by_queue },
    { "put", give_by_put, take_put },
    { "put-from", give_by_fence, take_and_put },
    { "get", give_by_fence, take_by_get },
    { "get-to", give_by_get, take_invalidated },
    { "memcpy-put", give_by_memcpy, take_invalidated },
    { "memcpy-get", give_by_fence, take_by_memcpy },
    { "shared", give_shared, take_shared },
    { "increment", give_by_increment, take_by_counter },
    { "counter", give_by_counter, take_by_counter },
};

static void allocate(void)
{
    t_vcharp shared = RCCE_shmalloc(2 * FAR);
    word = (volatile int *)shared;
    far_off = (volatile int *)(shared + FAR);
    line = RCCE_malloc(2 * LINE);
    RCCE_flag_alloc(&flag);
    iRCCE_atomic_alloc(&air);
}

int RCCE_APP(int argc, char **argv)
{
    const struct way *way = ways;
    RCCE_init(&argc, &argv);
    int ue = RCCE_ue();
    while (strcmp(way->name, argv[1]) != 0)
        way++;
    allocate();
    if (ue == 0) {
        await(0);
        way->give();
    } else {
        in(1)[LINE / 4] = VALUE;
        (void)load();
        RCCE_fence();
        (void)load();
        tell(0);
        printf("order: %s: %s\n", way->name, way->take() == VALUE ? "right" : "wrong");
    }
    return 0;
}
