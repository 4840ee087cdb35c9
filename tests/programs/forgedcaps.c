/* SPDX-License-Identifier: MIT */
/*
 * forgedcaps.c - what no page server says (docs/servers.md): programs in clusters without one, at its port, beside
 * those of remotecaps.c.
 *   forgedcaps rogue      asks the home's page server with words of which each is forged in turn, answers for others,
 *                         and revokes what is not its own
 *   forgedcaps mute       gets a part of what it was granted, and answers with other numbers than it is asked with
 *   forgedcaps deaf       does so in the second round, and reads nothing after that
 *   forgedcaps forgetful  grants copies to cluster 0, and says of whatever comes later that it is over, as a page
 *                         server that has begun anew
 *   forgedcaps guest      gets a part of a page that it was granted
 *   forgedcaps late       answers each question three seconds late
 *   forgedcaps liar       gets two parts of what it was granted, and sends all back that it may; says of the end of the
 *                         page, which it is to tell others, that they know it
 */
#include <stdbool.h>
#include <string.h>

#define PROGRAM "forgedcaps"
#include "../../user/programs/must.h"
#include "../../bench/nanvix-servers/programs/remotecaps.h"

static unsigned mail;            /* at a page server's port */
static struct caps_message last; /* what forge() got */

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
    struct caps_message got = last = get();
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
        puts("forgedcaps: nothing forged");
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

/* The home's proof of it is the exclusive or of all proofs, of which it has its own. */
static void liar(void)
{
    struct words words = receive();
    uint64_t proof;
    for (unsigned part = 0; part < 2; part++) {
        struct caps_message m = part_of(CAPS_READ_PART, &words.now);
        m.part = (uint8_t)part;
        MUST(forge(words.from, m) == CAPS_DONE);
        proof = last.key;
    }
    amalgam_sleep_until(amalgam_clock() + 2000000000u); /* others have a copy of one moment, on a busy host, too */
    for (unsigned part = 0; words.now.rights & CAPS_WRITE && part < CAPS_PARTS; part++) {
        struct caps_message m = part_of(CAPS_WRITE_PART, &words.now);
        m.part = (uint8_t)part;
        memset(m.data, (int)words.round + 100, amalgam_caps_part_size(part));
        MUST(forge(words.from, m) == CAPS_DONE);
    }
    send(words.from, PORT, &(struct words){ .round = words.round }, sizeof(words));
    for (;;) {
        struct caps_message m = get();
        if (m.op == CAPS_ENDED)
            printf("forgedcaps: answers for %u others\n", m.children);
        else
            printf("forgedcaps: asked by itself\n");
        fflush(stdout);
        m.nonce = m.op == CAPS_ENDED ? proof : m.nonce;
        m.op |= CAPS_ANSWER;
        send(words.from, CAPS_PORT, &m, sizeof(m));
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

int main(int argc, char **argv)
{
    const char *role = argc > 1 ? argv[1] : "";
    open_mail();
    mail = (unsigned)RESULT(amalgam_mailbox_create(self, CAPS_PORT));
    if (!strcmp(role, "rogue"))
        rogue();
    else if (!strcmp(role, "mute"))
        mute();
    else if (!strcmp(role, "deaf"))
        deaf();
    else if (!strcmp(role, "forgetful"))
        forgetful();
    else if (!strcmp(role, "late"))
        late();
    else if (!strcmp(role, "liar"))
        liar();
    else if (!strcmp(role, "guest"))
        guest();
    return 0;
}
