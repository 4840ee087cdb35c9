/* SPDX-License-Identifier: MIT */
/*
 * locks.c - RCCE's kinds of locks beside each other, for bench/scc and tests. Each kind is taken by UE 0 alone, then by
 * all UEs again and again. The section adds to a counter by a load and a store, so what a lock lets through is missing
 * in the end; and it counts how often its UE is another one than before.
 *
 *   locks [ROUNDS [plain]]      each UE takes each lock so often, 10 if not said
 *
 * An emulated core runs until it waits. So a UE gives the turn on once while it has the lock, for the others to come
 * and find it taken, and once when it has given it back, for one of them to get it; with `plain` it does neither, and
 * takes the lock again before anybody else has looked. UE 0 executes marks 4 k + 1 and 4 k + 2 around kind k alone,
 * 4 k + 3 and 4 k + 4 around kind k by all (docs/coherence.md, "Clocks"); those of other UEs are not used.
 */
#include <RCCE_lib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK(n) __asm__ volatile(".byte 0x82, 0xf8, %c0" ::"i"(16 + (n)) : "memory", "cc")

#define ALONE  100
#define ROUNDS 10
#define OWNER  0 /* whose lock it is */

static int take_tree(int ue)
{
    (void)ue;
    return RCCE_acquire_treelock(&RCCE_COMM_WORLD);
}

static int give_tree(int ue)
{
    (void)ue;
    return RCCE_release_treelock(&RCCE_COMM_WORLD);
}

static int take_none(int ue) { return ue; }

static const struct kind {
    const char *name;
    int (*take)(int ue), (*give)(int ue);
} kinds[] = {
    { "test-and-set", RCCE_acquire_lock, RCCE_release_lock },
    { "backoff", RCCE_backoff_lock, RCCE_release_lock },
    { "tree", take_tree, give_tree },
    { "queue", RCCE_acquire_queuelock, RCCE_release_queuelock },
    { "none", take_none, take_none }, /* what the counter shows without a lock */
};

static volatile struct shared {
    int holder, count, changes;
} * shared;
static bool plain;

static void give_the_turn_on(void)
{
    if (!plain)
        __asm__ volatile("pause");
}

static void alone(const struct kind *k)
{
    for (int i = 0; i < ALONE && RCCE_ue() == 0; i++) {
        k->take(OWNER);
        k->give(OWNER);
    }
}

static void by_all(const struct kind *k, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        k->take(OWNER);
        int count = shared->count;
        shared->changes += shared->holder != RCCE_ue();
        shared->holder = RCCE_ue();
        give_the_turn_on();
        shared->count = count + 1;
        k->give(OWNER);
        give_the_turn_on();
    }
    RCCE_barrier(&RCCE_COMM_WORLD);
}

static void say(const struct kind *k, int rounds)
{
    int sections = rounds * RCCE_num_ues();
    if (RCCE_ue() == 0) {
        printf("locks: %s: %d sections, from another UE %d times, %d lost\n", k->name, sections, shared->changes,
               sections - shared->count);
        shared->count = shared->changes = 0;
        shared->holder = -1;
    }
    RCCE_barrier(&RCCE_COMM_WORLD);
}

#define KIND(k, rounds)                                                                                                \
    do {                                                                                                               \
        alone(&kinds[k]);                                                                                              \
        MARK(4 * (k) + 1);                                                                                             \
        alone(&kinds[k]);                                                                                              \
        MARK(4 * (k) + 2);                                                                                             \
        RCCE_barrier(&RCCE_COMM_WORLD);                                                                                \
        MARK(4 * (k) + 3);                                                                                             \
        by_all(&kinds[k], rounds);                                                                                     \
        MARK(4 * (k) + 4);                                                                                             \
        say(&kinds[k], rounds);                                                                                        \
    } while (0)

int RCCE_APP(int argc, char **argv)
{
    if (RCCE_init(&argc, &argv) || !(shared = (volatile struct shared *)RCCE_shmalloc(sizeof(*shared)))) {
        printf("locks: cannot begin\n");
        return 1;
    }
    int rounds = argc > 1 ? atoi(argv[1]) : ROUNDS;
    plain = argc > 2 && !strcmp(argv[2], "plain");
    if (RCCE_ue() == 0)
        *shared = (struct shared){ .holder = -1 };
    RCCE_barrier(&RCCE_COMM_WORLD);
    KIND(0, rounds);
    KIND(1, rounds);
    KIND(2, rounds);
    KIND(3, rounds);
    KIND(4, rounds);
    if (RCCE_ue() == 0)
        printf("locks: done\n");
    RCCE_finalize();
    return 0;
}
