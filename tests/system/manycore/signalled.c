/* SPDX-License-Identifier: MIT */
/*
 * signalled.c - signals end calls between clusters, and nothing is lost by that. In cluster 0 a thread makes each call
 * that waits; another one sends it signals until it has returned -EINTR. Then cluster 1 is asked to do its part, and
 * the call is made again. Last, messages for a port that nobody reads, until there is no room.
 */
#include <amalgam/clusters.h>
#include <amalgam/signal.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define PROGRAM "signalled"
#include "../../../user/programs/must.h"

#define MS    1000000ull
#define FLOOD 100 /* messages: more than there is room for */
#define PAGE  4096
#define PAGES 3

enum part { SYNC, MAIL, DATA, LONG, END };
enum port { ASK, ANSWER, PAGES_AT, FLOOD_AT };

static const int nodes[] = { 0, 1 };
static unsigned gather, ask, answer, portal;
static uint8_t pages[PAGES * PAGE];
static uint32_t waits, ended; /* the thread wants signals; it has none to wait for any more */
static unsigned taken, calls;

static unsigned made(int64_t id)
{
    MUST(id >= 0);
    return (unsigned)id;
}

static struct amalgam_frame *note(int signal, struct amalgam_frame *frame)
{
    MUST(signal == 5);
    taken++;
    return frame;
}

static int64_t wait_for_sync(void) { return amalgam_sync_wait(gather); }

static int64_t read_mail(void)
{
    uint32_t word = 0;
    int64_t result = amalgam_mailbox_read(answer, &word, sizeof word);
    MUST(word == (result ? 0 : 4711u));
    return result;
}

static uint32_t started;
static int64_t wait_for_mail(void)
{
    int64_t result = amalgam_mailbox_wait(answer);
    MUST(started == (result ? 0 : 4711u));
    return result;
}

static int64_t wait_for_page(void) { return amalgam_portal_wait(portal); }
static int64_t read_pages(void) { return amalgam_portal_read(portal, pages, sizeof pages); }

static void interrupted(int64_t (*call)(void), uint32_t part)
{
    int64_t result;
    __atomic_store_n(&waits, 1, __ATOMIC_RELEASE);
    MUST(call() == -AMALGAM_EINTR);
    __atomic_store_n(&waits, 0, __ATOMIC_RELEASE);
    while ((result = amalgam_mailbox_write(ask, &part, sizeof part)) == -AMALGAM_EINTR)
        ;
    MUST(result == 0);
    while ((result = call()) == -AMALGAM_EINTR)
        ;
    MUST(result == 0);
    calls++;
}

static void check_pages(size_t n)
{
    for (size_t i = 0; i < sizeof pages; i++) {
        MUST(pages[i] == (i < n ? (uint8_t)(i * 7 + i / PAGE) : 0));
        pages[i] = 0;
    }
}

static void allow(void)
{
    int64_t result;
    while ((result = amalgam_portal_allow(portal, 1, 0)) == -AMALGAM_EINTR)
        ;
    MUST(result == 0);
}

static void flood(void)
{
    unsigned box = made(amalgam_mailbox_open(1, FLOOD_AT));
    bool once = false;
    __atomic_store_n(&waits, 1, __ATOMIC_RELEASE);
    for (uint32_t i = 0; i < FLOOD;) {
        int64_t result = amalgam_mailbox_write(box, &i, sizeof i);
        MUST(result == 0 || result == -AMALGAM_EINTR);
        i += !result;
        once |= result != 0;
    }
    __atomic_store_n(&waits, 0, __ATOMIC_RELEASE);
    MUST(once);
    calls++;
}

static void *waiter(void *unused)
{
    interrupted(wait_for_sync, SYNC);
    interrupted(read_mail, MAIL);
    MUST(amalgam_mailbox_aread(answer, &started, sizeof started) == 0);
    interrupted(wait_for_mail, MAIL);
    allow();
    MUST(amalgam_portal_aread(portal, pages, PAGE) == 0);
    interrupted(wait_for_page, DATA);
    check_pages(PAGE);
    allow();
    interrupted(read_pages, LONG);
    check_pages(sizeof pages);
    uint32_t end = END;
    MUST(amalgam_mailbox_write(ask, &end, sizeof end) == 0);
    flood();
    __atomic_store_n(&ended, 1, __ATOMIC_RELEASE);
    return unused;
}

static void lead(void)
{
    pthread_t thread;
    gather = made(amalgam_sync_create(nodes, 2, AMALGAM_SYNC_CREATE_ALL_TO_ONE));
    ask = made(amalgam_mailbox_open(1, ASK));
    answer = made(amalgam_mailbox_create(0, ANSWER));
    portal = made(amalgam_portal_create(0, PAGES_AT));
    MUST(amalgam_signal(5, note) == 0);
    MUST(!pthread_create(&thread, NULL, waiter, NULL));
    while (!__atomic_load_n(&ended, __ATOMIC_ACQUIRE)) {
        amalgam_sleep_until((uint64_t)amalgam_clock() + 3 * MS);
        if (__atomic_load_n(&waits, __ATOMIC_ACQUIRE))
            MUST(amalgam_signal_send(1, 5) == 0);
    }
    pthread_join(thread, NULL);
    MUST(read_mail() == 0); /* cluster 1 has all of them */
    MUST(taken >= calls);
    printf("signalled: %u calls were ended by signals and made again\n", calls);
}

static void follow(void)
{
    uint32_t part, word = 4711;
    gather = made(amalgam_sync_open(nodes, 2, AMALGAM_SYNC_OPEN_ALL_TO_ONE));
    ask = made(amalgam_mailbox_create(1, ASK));
    answer = made(amalgam_mailbox_open(0, ANSWER));
    portal = made(amalgam_portal_open(1, 0, PAGES_AT));
    for (size_t i = 0; i < sizeof pages; i++)
        pages[i] = (uint8_t)(i * 7 + i / PAGE);
    do {
        MUST(amalgam_mailbox_read(ask, &part, sizeof part) == 0);
        if (part == SYNC)
            MUST(amalgam_sync_signal(gather) == 0);
        else if (part == MAIL)
            MUST(amalgam_mailbox_write(answer, &word, sizeof word) == 0);
        else if (part == DATA)
            MUST(amalgam_portal_awrite(portal, pages, PAGE) == 0 && amalgam_portal_wait(portal) == 0);
        else if (part == LONG)
            MUST(amalgam_portal_write(portal, pages, sizeof pages) == 0);
    } while (part != END);
    amalgam_sleep_until((uint64_t)amalgam_clock() + 50 * MS); /* until there is no room */
    unsigned box = made(amalgam_mailbox_create(1, FLOOD_AT));
    for (uint32_t i = 0; i < FLOOD; i++)
        MUST(amalgam_mailbox_read(box, &word, sizeof word) == 0 && word == i);
    printf("signalled: %d messages in their order\n", FLOOD);
    word = 4711;
    MUST(amalgam_mailbox_write(answer, &word, sizeof word) == 0);
}

int main(void)
{
    if (amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODE))
        follow();
    else
        lead();
    return 0;
}
