/* SPDX-License-Identifier: MIT */
/*
 * remotecaps.c - page capabilities between clusters, by the page server at channel 0 (docs/servers.md). Those who say
 * what no page server does are forgedcaps.c.
 *   remotecaps home ROUNDS N M  makes a page, and grants it to clusters 1 to N; tells clusters from N + 1 to M the same
 *                               words without a grant; lets the first, when all others have theirs, send a changed copy
 *                               back; and revokes
 *   remotecaps holder [calls]   takes a copy, and reads it without ever calling the kernel, or now and then, until a
 *                               fault ends it; its next life finds that it cannot be taken again
 *   remotecaps again            takes a copy after the other, and sleeps meanwhile: for bench/nanvix-servers, which
 *                               counts from the home's mark 1 to its mark 2 (tools/plugin/clocks.c)
 *   remotecaps stale            is granted those of a forgetful home, and sees that each is gone when it has heard that
 *                               one of them is
 *   remotecaps host             grants a page to each life of a guest in cluster 1
 *   remotecaps reborn           ends in the middle of a request; its next life's are carried out
 *   remotecaps taker HOME N     takes a copy of that cluster's so many times
 * Words and news go by mailboxes.
 */
#include <amalgam/handle.h>
#include <stdbool.h>
#include <string.h>

#define PROGRAM "remotecaps"
#include "../../../user/programs/mark.h"
#include "../../../user/programs/must.h"
#include "remotecaps.h"

#define WHILE 100000000 /* ns from one copy to the next */

static volatile struct caps_channel *channel;
static volatile struct caps_request *request;

static inline int64_t ask(enum caps_call call) { return amalgam_caps_ask(0, channel, call); }

static unsigned handle; /* of what was mapped last */

static volatile unsigned char *map_next(void)
{
    return (volatile unsigned char *)(uintptr_t)RESULT(amalgam_caps_map(0, &handle));
}

static int64_t take(struct caps cap)
{
    request->cap = cap;
    return ask(CAPS_TAKE);
}

static bool is_all(const volatile unsigned char *page, unsigned char byte)
{
    for (unsigned i = 0; i < CAPS_PAGE; i++)
        if (page[i] != byte)
            return false;
    return true;
}

static void say_revoked(uint32_t round, const char *what, int64_t silent, uint64_t begin)
{
    printf("remotecaps: round %u: %s, %d silent, %u ms\n", round, what, (int)silent,
           (unsigned)((amalgam_clock() - begin) / 1000000));
}

/* Tell clusters from `first` to `last` of a page, which is granted to those up to `n`, until all have what they want.
 */
static void tell(uint32_t page, struct words *words, unsigned first, unsigned last, unsigned n)
{
    for (unsigned node = first; node <= last; node++) {
        request->id = page;
        request->node = node;
        request->cap.rights = CAPS_READ | (node == 1 ? CAPS_WRITE : 0);
        if (node <= n)
            RESULT(ask(CAPS_GRANT));
        words->now = channel->reply.cap;
        send(node, PORT, words, sizeof(*words));
    }
    for (unsigned told = first; told <= last; told++)
        MUST(receive().round == words->round);
}

static void home(uint32_t rounds, unsigned n, unsigned all)
{
    uint32_t page = (uint32_t)RESULT(ask(CAPS_CREATE));
    volatile unsigned char *memory = map_next();
    struct words words = { 0 };
    int64_t silent = 0;
    MUST(is_all(memory, 0) && (n > 1 || all == n));
    for (uint32_t round = 1; round <= rounds; round++) {
        words.before = words.now;
        words.round = round;
        words.from = self;
        memset((void *)memory, (int)round, CAPS_PAGE);
        tell(page, &words, 2, all, n);
        tell(page, &words, 1, 1, n);                        /* it writes: the others have theirs before */
        MUST(is_all(memory, (unsigned char)(round + 100))); /* the first one's copy */
        request->id = page;
        uint64_t begin = amalgam_clock();
        MARK(1);
        silent = ask(CAPS_REVOKE);
        MARK(2);
        say_revoked(round, "revoked", silent, begin);
        if (silent) {
            begin = amalgam_clock();
            silent = ask(CAPS_REVOKE);
            say_revoked(round, "asked again", silent, begin);
        }
        memset((void *)memory, 0, CAPS_PAGE);
    }
    MUST(ask(CAPS_DROP) == silent && ask(CAPS_DROP) == -AMALGAM_EBADF);
    amalgam_sleep_until(amalgam_clock() + WHILE); /* holders say how they ended; the board ends with this process */
    puts("remotecaps: right");
}

static void holder(bool calls)
{
    struct words words = receive();
    if (words.before.key) {
        MUST(take(words.before) == -AMALGAM_ESTALE);
        struct caps forged = words.now;
        forged.rights |= CAPS_WRITE;
        forged.key ^= 1;
        MUST(take(forged) == -AMALGAM_EPERM);
    }
    uint32_t id = (uint32_t)RESULT(take(words.now));
    volatile unsigned char *copy = map_next();
    MUST(is_all(copy, (unsigned char)words.round));
    request->id = id;
    if (words.now.rights & CAPS_WRITE) {
        memset((void *)copy, (int)words.round + 100, CAPS_PAGE);
        RESULT(ask(CAPS_GIVE));
    } else {
        MUST(ask(CAPS_GIVE) == -AMALGAM_EPERM);
    }
    printf("remotecaps: copy %u\n", words.round);
    send(words.from, PORT, &(struct words){ .round = words.round }, sizeof(words));
    for (;; (void)*copy)
        if (calls)
            amalgam_sleep_until(amalgam_clock() + 100000);
}

static void again(void)
{
    for (struct words words = receive();; words = receive()) {
        request->cap = words.now;
        uint32_t id = (uint32_t)RESULT(ask(CAPS_TAKE));
        void *copy = (void *)map_next();
        MUST(is_all(copy, (unsigned char)words.round));
        request->id = id;
        if (words.now.rights & CAPS_WRITE) {
            memset(copy, (int)words.round + 100, CAPS_PAGE);
            RESULT(ask(CAPS_GIVE));
        }
        send(words.from, PORT, &(struct words){ .round = words.round }, sizeof(words));
        amalgam_sleep_until(amalgam_clock() + WHILE); /* it is revoked meanwhile */
        request->id = id;
        RESULT(ask(CAPS_DROP));
        RESULT(amalgam_handle_close(handle));
    }
}

/* Grant a page to each life of cluster 1 as soon as that one is there. */
static void host(void)
{
    uint32_t page = (uint32_t)RESULT(ask(CAPS_CREATE));
    for (unsigned life = 0; life < 2; life++) {
        MUST(receive().round == 1);
        request->id = page;
        request->node = 1;
        request->cap.rights = CAPS_READ;
        RESULT(ask(CAPS_GRANT));
        struct words words = { .now = channel->reply.cap, .from = self };
        send(1, PORT, &words, sizeof(words));
        MUST(receive().round == 2);
    }
    puts("remotecaps: right");
}

/* The first life ends while the page server does what it has asked: that ends when nobody of cluster 1 has answered. */
static void reborn(void)
{
    if (request->life == 1) {
        request->id = 7;
        request->cap = (struct caps){ .home = 1, .rights = CAPS_READ };
        request->call = CAPS_TAKE;
        request->number = 1;
        amalgam_tunnel_notify(0);
        amalgam_sleep_until(amalgam_clock() + WHILE);
        __builtin_trap();
    }
    uint64_t begin = amalgam_clock();
    uint32_t page = (uint32_t)RESULT(ask(CAPS_CREATE));
    printf("remotecaps: made after %u ms\n", (unsigned)((amalgam_clock() - begin) / 1000000));
    volatile unsigned char *memory = map_next();
    amalgam_sleep_until(amalgam_clock() + WHILE);
    *memory = 1;
    request->id = page;
    request->node = 1;
    request->cap.rights = CAPS_READ;
    MUST(ask(CAPS_GRANT) == 0 && ask(CAPS_REVOKE) == 0);
    *memory = 2;
    puts("remotecaps: right");
}

/* A copy of a page of cluster `home`, again and again: says how long the first one takes, and the longest one. */
static void taker(unsigned home, unsigned times)
{
    uint64_t longest = 0;
    int64_t result = 0;
    for (unsigned i = 0; i < times; i++) {
        uint64_t begin = amalgam_clock();
        result = take((struct caps){ .home = home, .generation = FORMER, .rights = CAPS_READ });
        uint64_t ns = amalgam_clock() - begin;
        longest = ns > longest ? ns : longest;
        request->id = (uint32_t)result;
        if (result >= 0)
            MUST(map_next() && ask(CAPS_DROP) == 0 && amalgam_handle_close(handle) == 0);
        amalgam_sleep_until(amalgam_clock() + WHILE);
    }
    printf("remotecaps: takes from %u: %d, %u ms\n", home, (int)result, (unsigned)(longest / 1000000));
}

/* A handle that was closed by its owner cannot be mapped. */
static void stale(void)
{
    struct caps cap[2];
    unsigned handles[2];
    for (unsigned i = 0; i < 2; i++) {
        cap[i] = receive().now;
        request->id = (uint32_t)RESULT(take(cap[i]));
        MUST(is_all(map_next(), 7));
        handles[i] = handle;
        MUST(amalgam_handle_map(handles[i]) == -AMALGAM_EEXIST);
        if (i == 0)
            MUST(ask(CAPS_GIVE) == -AMALGAM_ESTALE);
    }
    MUST(amalgam_handle_map(handles[0]) == -AMALGAM_ESTALE && amalgam_handle_map(handles[1]) == -AMALGAM_EEXIST);
    cap[1].generation--;
    MUST(take(cap[1]) == -AMALGAM_ESTALE);
    MUST(amalgam_handle_map(handles[1]) == -AMALGAM_ESTALE);
    puts("remotecaps: right");
}

int main(int argc, char **argv)
{
    const char *role = argc > 1 ? argv[1] : "";
    struct amalgam_tunnel t;
    RESULT(amalgam_tunnel_open(0, &t));
    channel = t.memory;
    request = &channel->request;
    amalgam_caps_begin(channel);
    if (argc == 4 && !strcmp(role, "taker")) {
        taker((unsigned)strtoul(argv[2], NULL, 10), (unsigned)strtoul(argv[3], NULL, 10));
        return 0;
    }
    open_mail();
    if (argc == 5 && !strcmp(role, "home"))
        home((uint32_t)strtoul(argv[2], NULL, 10), (unsigned)strtoul(argv[3], NULL, 10),
             (unsigned)strtoul(argv[4], NULL, 10));
    else if (!strcmp(role, "holder"))
        holder(argc > 2);
    else if (!strcmp(role, "again"))
        again();
    else if (!strcmp(role, "stale"))
        stale();
    else if (!strcmp(role, "host"))
        host();
    else if (!strcmp(role, "reborn"))
        reborn();
    return 0;
}
