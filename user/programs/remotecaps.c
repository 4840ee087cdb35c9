/* SPDX-License-Identifier: MIT */
/*
 * remotecaps.c - page capabilities between clusters, by the page server at channel 0 (docs/servers.md).
 *   remotecaps home ROUNDS N M  makes a page, and grants it to clusters 1 to N, of which the first sends a changed copy
 * back; tells clusters from N + 1 to M the same words without a grant; and revokes.
 *   remotecaps holder [calls]   takes a copy, and reads it without ever calling the kernel, or now and then, until a
 * fault ends it; its next life finds that it cannot be taken again.
 *   remotecaps again            takes a copy after the other, and sleeps meanwhile: for bench/nanvix-servers, which
 * counts from the home's mark 1 to its mark 2 (tools/plugin/clocks.c).
 *   remotecaps rogue            has no page server. It asks the home's with words of which each is forged in turn,
 * answers for others, and revokes what is not its own.
 *   remotecaps mute             has none either. It gets a part of what it was granted, and answers
 * with other numbers than it is asked with.
 *   remotecaps deaf             does so in the second round, and reads nothing after that.
 *   remotecaps forgetful        has none. It grants copies to cluster 0, and says of whatever comes later that it is
 * over, as a page server that has begun anew.
 *   remotecaps stale            is granted those, and sees that each is gone when it has heard that one of them is.
 *   remotecaps host             has one, and grants a page to each life of a guest in cluster 1.
 *   remotecaps guest            has none, and gets a part of it.
 *   remotecaps reborn           has one, and ends in the middle of a request; its next life's are carried out.
 *   remotecaps late             has none. It answers each question three seconds late.
 *   remotecaps taker HOME N     has one, and takes a copy of that cluster's so many times.
 * Words and news go by mailboxes.
 */
#include <amalgam/clusters.h>
#include <amalgam/handle.h>
#include <amalgam/page_server.h>
#include <stdbool.h>
#include <string.h>

#define PROGRAM "remotecaps"
#include "mark.h"
#include "must.h"

#define FORMER 6         /* generations of a forgetful home */
#define PORT   12        /* of this program */
#define WHILE  100000000 /* ns from one copy to the next */

struct words {
    struct caps now, before; /* the second was revoked */
    uint32_t round, from;
};

static unsigned self, in;
static volatile struct caps_channel *channel;
static volatile struct caps_request *request;

static void send(unsigned node, unsigned port, const void *data, size_t n)
{
    int64_t out = RESULT(amalgam_mailbox_open(node, port)), err;
    while ((err = amalgam_mailbox_write((unsigned)out, data, n)) == -AMALGAM_ETIMEDOUT || err == -AMALGAM_EIO)
        ;
    RESULT(err);
    RESULT(amalgam_mailbox_close((unsigned)out, AMALGAM_MAILBOX_CLOSE_CLOSE));
}

static struct words receive(void)
{
    union {
        struct words words;
        unsigned char bytes[128];
    } m;
    RESULT(amalgam_mailbox_receive(in, &m, sizeof(m)));
    return m.words;
}

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

static void home(uint32_t rounds, unsigned n, unsigned all)
{
    uint32_t page = (uint32_t)RESULT(ask(CAPS_CREATE));
    volatile unsigned char *memory = map_next();
    struct words words = { 0 };
    int64_t silent = 0;
    MUST(is_all(memory, 0));
    for (uint32_t round = 1; round <= rounds; round++) {
        words.before = words.now;
        words.round = round;
        words.from = self;
        memset((void *)memory, (int)round, CAPS_PAGE);
        for (unsigned node = 1; node <= all; node++) {
            request->id = page;
            request->node = node;
            request->cap.rights = CAPS_READ | (node == 1 ? CAPS_WRITE : 0);
            if (node <= n)
                RESULT(ask(CAPS_GRANT));
            words.now = channel->reply.cap;
            send(node, PORT, &words, sizeof(words));
        }
        for (unsigned told = 0; told < all; told++)
            MUST(receive().round == round);                 /* it has what it wanted */
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

/* As a page server */

static unsigned mail; /* at a page server's port */

static struct caps_message get(void)
{
    union {
        struct caps_message message;
        unsigned char bytes[128];
    } m;
    do
        RESULT(amalgam_mailbox_receive(mail, &m, sizeof(m)));
    while (m.message.op == CAPS_NOTHING);
    return m.message;
}

/* Returns the result of an answer that has no data if it is a refusal. */
static unsigned forge(unsigned node, struct caps_message m)
{
    static uint64_t nonce;
    m.magic = CAPS_MAGIC;
    m.nonce = ++nonce;
    send(node, CAPS_PORT, &m, sizeof(m));
    struct caps_message got = get();
    MUST(got.nonce == m.nonce && got.op == (m.op | CAPS_ANSWER));
    for (unsigned i = 0; i < CAPS_PART; i++)
        MUST(got.result == CAPS_DONE || !got.data[i]);
    return got.result;
}

static struct caps_message part_of(enum caps_op op, const struct caps *cap)
{
    return (
        struct caps_message){ .op = (uint8_t)op, .slot = cap->slot, .generation = cap->generation, .key = cap->key };
}

/* It knows the words that another cluster has. */
static void rogue(void)
{
    for (;;) {
        struct words words = receive();
        unsigned home = words.from;
        for (enum caps_op op = CAPS_READ_PART; op <= CAPS_WRITE_PART; op++) {
            const struct caps_message good = part_of(op, &words.now);
            struct caps_message m = good;
            MUST(forge(home, good) == CAPS_REFUSED);
            for (unsigned bit = 0; bit < 64; bit++) {
                m = good, m.key ^= 1ull << bit;
                MUST(forge(home, m) == CAPS_REFUSED);
                m = good, m.slot ^= 1u << bit % 32;
                MUST(forge(home, m) != CAPS_DONE);
                m = good, m.generation ^= 1u << bit % 32;
                MUST(forge(home, m) == CAPS_STALE);
                m = good, m.part = (uint8_t)(bit * 4);
                MUST(forge(home, m) != CAPS_DONE);
            }
        }
        struct caps_message revoked = part_of(CAPS_REVOKED, &words.now);
        revoked.generation++;
        for (unsigned node = 0; node < 3; node++) /* of slots of this cluster, which nobody has copied */
            MUST(forge(node, revoked) == CAPS_DONE);
        puts("remotecaps: nothing forged");
        send(home, PORT, &(struct words){ .round = words.round }, sizeof(words));
    }
}

/* It answers, but never what it was asked. */
static void mute(void)
{
    struct words words = receive();
    MUST(forge(words.from, part_of(CAPS_READ_PART, &words.now)) == CAPS_DONE);
    send(words.from, PORT, &(struct words){ .round = words.round }, sizeof(words));
    for (;;) {
        struct caps_message m = get();
        m.op |= CAPS_ANSWER;
        m.nonce++;
        send(words.from, CAPS_PORT, &m, sizeof(m));
    }
}

static void deaf(void)
{
    for (;;) {
        struct words words = receive();
        if (words.round == 2)
            MUST(forge(words.from, part_of(CAPS_READ_PART, &words.now)) == CAPS_DONE);
        send(words.from, PORT, &(struct words){ .round = words.round }, sizeof(words));
    }
}

static void guest(void)
{
    send(0, PORT, &(struct words){ .round = 1 }, sizeof(struct words));
    struct words words = receive();
    MUST(forge(0, part_of(CAPS_READ_PART, &words.now)) == CAPS_DONE);
    send(0, PORT, &(struct words){ .round = 2 }, sizeof(struct words));
    amalgam_sleep_until(AMALGAM_NEVER);
}

/* It answers each question late. */
static void late(void)
{
    for (uint64_t last = 0;;) {
        struct caps_message m = get();
        if (m.nonce == last)
            continue; /* asked again meanwhile */
        last = m.nonce;
        amalgam_sleep_until(amalgam_clock() + 3000000000u);
        m.op |= CAPS_ANSWER;
        send(0, CAPS_PORT, &m, sizeof(m));
    }
}

static void forgetful(void)
{
    struct words words = { .now = { .home = self, .generation = FORMER, .rights = CAPS_READ | CAPS_WRITE, .key = 1 } };
    for (words.now.slot = 0; words.now.slot < 2; words.now.slot++)
        send(0, PORT, &words, sizeof(words));
    for (;;) {
        struct caps_message m = get();
        bool good = m.op == CAPS_READ_PART && m.generation == FORMER;
        m.op |= CAPS_ANSWER;
        m.result = good ? CAPS_DONE : CAPS_STALE;
        m.generation = good ? FORMER : 1; /* it was drawn */
        memset(m.data, 7, sizeof(m.data));
        send(0, CAPS_PORT, &m, sizeof(m));
    }
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
    struct amalgam_tunnel t = { 0 };
    bool server = !amalgam_tunnel_open(0, &t);
    self = (unsigned)RESULT(amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODE));
    if (server) {
        channel = t.memory;
        request = &channel->request;
        amalgam_caps_begin(channel);
    }
    if (argc == 4 && !strcmp(role, "taker")) {
        taker((unsigned)strtoul(argv[2], NULL, 10), (unsigned)strtoul(argv[3], NULL, 10));
        return 0;
    }
    in = (unsigned)RESULT(amalgam_mailbox_create(self, PORT));
    if (!server)
        mail = (unsigned)RESULT(amalgam_mailbox_create(self, CAPS_PORT));
    if (argc == 5 && !strcmp(role, "home"))
        home((uint32_t)strtoul(argv[2], NULL, 10), (unsigned)strtoul(argv[3], NULL, 10),
             (unsigned)strtoul(argv[4], NULL, 10));
    else if (!strcmp(role, "holder"))
        holder(argc > 2);
    else if (!strcmp(role, "again"))
        again();
    else if (!strcmp(role, "rogue"))
        rogue();
    else if (!strcmp(role, "mute"))
        mute();
    else if (!strcmp(role, "deaf"))
        deaf();
    else if (!strcmp(role, "forgetful"))
        forgetful();
    else if (!strcmp(role, "stale"))
        stale();
    else if (!strcmp(role, "host"))
        host();
    else if (!strcmp(role, "reborn"))
        reborn();
    else if (!strcmp(role, "late"))
        late();
    else if (!strcmp(role, "guest"))
        guest();
    return 0;
}
