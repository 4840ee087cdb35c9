/* SPDX-License-Identifier: MIT */
/*
 * test_caps.c - page capabilities between clusters: rights, generations, shares; forged words; and random operations of
 * four clusters, whose messages are on their way for a while and of which each may be lost, against a reference.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "caps/copies.h"
#include "caps/homes.h"
#include "caps/relay.h"

#define N 4u

static struct cluster {
    struct homes homes;
    struct copies copies;
    struct relays relays;
    unsigned char memory[HOMES + COPIES][CAPS_PAGE];
} clusters[N];

static uint64_t seed;
static uint64_t draw(void)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return seed;
}
static unsigned dice(unsigned n) { return (unsigned)(draw() >> 20) % n; }

static void begin(unsigned n)
{
    homes_begin(&clusters[n].homes, n, N, 2, clusters[n].memory[0], draw);
    copies_begin(&clusters[n].copies, 2, clusters[n].memory[HOMES]);
    clusters[n].relays = (struct relays){ .self = n, .clusters = N };
}

static int setup(void **state)
{
    (void)state;
    seed = 0x9e3779b97f4a7c15u;
    for (unsigned n = 0; n < N; n++)
        begin(n);
    return 0;
}

static struct caps_message message(enum caps_op op, const struct caps *cap, unsigned part)
{
    return (struct caps_message){ .magic = CAPS_MAGIC,
                                  .op = (uint8_t)op,
                                  .part = (uint8_t)part,
                                  .slot = cap->slot,
                                  .generation = cap->generation,
                                  .key = cap->key };
}

static unsigned ask(unsigned node, struct caps_message m, struct caps_message *answer)
{
    struct homes *h = &clusters[0].homes;
    *answer = m;
    return homes_answer(h, node, answer) ? answer->result : 0xff;
}

static struct caps granted(unsigned node, unsigned rights)
{
    struct caps cap;
    int slot = homes_create(&clusters[0].homes, 0);
    assert_int_equal(homes_grant(&clusters[0].homes, 0, (uint32_t)slot, node, rights, &cap), 0);
    return cap;
}

static void a_cluster_has_the_rights_that_it_was_granted_and_no_other_has_any(void **state)
{
    struct caps cap = granted(1, CAPS_READ);
    struct caps_message m = message(CAPS_READ_PART, &cap, CAPS_PARTS - 1), answer;
    (void)state;
    memset(clusters[0].memory, 0x5a, 2 * CAPS_PAGE);
    assert_int_equal(ask(1, m, &answer), CAPS_DONE);
    for (unsigned i = 0; i < CAPS_PART; i++)
        assert_int_equal(answer.data[i], i < CAPS_PAGE - (CAPS_PARTS - 1) * CAPS_PART ? 0x5a : 0);
    assert_true(answer.key == clusters[0].homes.home[0].token[1]);
    assert_int_equal(ask(2, m, &answer), CAPS_REFUSED);
    assert_true(!answer.key && !answer.seal);
    assert_int_equal(answer.data[0], 0);
    m.op = CAPS_WRITE_PART;
    memset(m.data, 1, sizeof(m.data));
    assert_int_equal(ask(1, m, &answer), CAPS_REFUSED);
    assert_int_equal(clusters[0].memory[0][(CAPS_PARTS - 1) * CAPS_PART], 0x5a);
    assert_int_equal(homes_grant(&clusters[0].homes, 0, 0, 1, CAPS_WRITE, &cap), 0);
    assert_int_equal(ask(1, m, &answer), CAPS_DONE);
    assert_int_equal(clusters[0].memory[0][(CAPS_PARTS - 1) * CAPS_PART], 1);
    assert_int_equal(clusters[0].memory[1][0], 0x5a); /* the last part is shorter */
}

static void each_forged_word_is_refused(void **state)
{
    struct caps cap = granted(1, CAPS_READ | CAPS_WRITE);
    struct caps_message good = message(CAPS_READ_PART, &cap, 0), m, answer;
    (void)state;
    assert_int_equal(ask(1, good, &answer), CAPS_DONE);
    m = good, m.magic ^= 1;
    assert_int_equal(ask(1, m, &answer), 0xff);
    m = good, m.op = 0x7f;
    assert_int_equal(ask(1, m, &answer), 0xff);
    assert_int_equal(ask(N, good, &answer), 0xff);
    for (unsigned bit = 0; bit < 64; bit++) {
        m = good, m.slot ^= 1u << bit % 32;
        assert_int_equal(ask(1, m, &answer), m.slot < HOMES ? CAPS_STALE : CAPS_WRONG);
        m = good, m.generation ^= 1u << bit % 32;
        assert_int_equal(ask(1, m, &answer), CAPS_STALE);
        assert_int_equal(answer.generation, good.generation);
        m = good, m.key ^= 1ull << bit;
        assert_int_equal(ask(1, m, &answer), CAPS_REFUSED);
    }
    for (unsigned part = 0; part < 256; part++) {
        m = good, m.part = (uint8_t)part;
        assert_int_equal(ask(1, m, &answer), part < CAPS_PARTS ? CAPS_DONE : CAPS_WRONG);
    }
}

static void a_client_has_its_share_and_what_it_made(void **state)
{
    struct homes *h = &clusters[0].homes;
    struct caps cap = { .home = 1 };
    uint32_t told;
    (void)state;
    assert_int_equal(homes_create(h, 0), 0);
    assert_int_equal(homes_create(h, 0), 1);
    assert_int_equal(homes_create(h, 0), -AMALGAM_ENOMEM);
    assert_int_equal(homes_create(h, 1), 2);
    assert_int_equal(homes_grant(h, 1, 0, 1, CAPS_READ, &cap), -AMALGAM_EBADF);
    assert_int_equal(homes_revoke(h, 1, 0, &told), -AMALGAM_EBADF);
    assert_int_equal(homes_revoke(h, 0, HOMES, &told), -AMALGAM_EBADF);
    assert_int_equal(homes_grant(h, 0, 0, 0, CAPS_READ, &cap), -AMALGAM_EINVAL);
    assert_int_equal(homes_grant(h, 0, 0, N, CAPS_READ, &cap), -AMALGAM_EINVAL);
    assert_int_equal(homes_grant(h, 0, 0, 1, 0, &cap), -AMALGAM_EINVAL);
    assert_int_equal(homes_grant(h, 0, 0, 1, 4, &cap), -AMALGAM_EINVAL);
    assert_int_equal(copies_new(&clusters[0].copies, 0, &cap), 0);
    assert_int_equal(copies_new(&clusters[0].copies, 0, &cap), 1);
    assert_int_equal(copies_new(&clusters[0].copies, 0, &cap), -AMALGAM_ENOMEM);
    assert_null(copies_of(&clusters[0].copies, 1, 0));
    assert_null(copies_of(&clusters[0].copies, 0, COPIES));
}

static void a_revocation_ends_the_copies_of_its_page_alone(void **state)
{
    struct copies *c = &clusters[1].copies;
    struct copy *hide[COPIES];
    (void)state;
    for (unsigned i = 0; i < COPIES; i++) {
        struct caps cap = { .home = i == 1 ? 2 : 0, .slot = i == 2, .generation = 7 + (i == 3) };
        assert_int_equal(copies_new(c, i % 2, &cap), i);
        c->copy[i].state = COPY_SHOWN;
    }
    assert_int_equal(copies_revoked(c, 0, 0, 8, NULL, hide), 1);
    assert_ptr_equal(hide[0], &c->copy[0]);
    for (unsigned i = 0; i < COPIES; i++)
        assert_int_equal(c->copy[i].state, i ? COPY_SHOWN : COPY_ENDED);
    assert_int_equal(copies_revoked(c, 0, 0, 8, NULL, hide), 0);
    assert_int_equal(copies_lost(c, 0, hide), 2);
    assert_int_equal(c->copy[1].state, COPY_SHOWN);
}

static void one_that_is_being_filled_may_be_of_a_later_generation(void **state)
{
    struct copies *c = &clusters[1].copies;
    struct copy *hide[COPIES];
    (void)state;
    for (unsigned i = 0; i < COPIES; i++) {
        struct caps cap = { .generation = 6 + i };
        assert_int_equal(copies_new(c, i % 2, &cap), i);
    }
    c->copy[2].state = COPY_SHOWN; /* of the home's server before it began anew */
    assert_int_equal(copies_revoked(c, 0, 0, 7, NULL, hide), 1);
    assert_ptr_equal(hide[0], &c->copy[2]);
    assert_int_equal(c->copy[0].state, COPY_ENDED);
    assert_int_equal(c->copy[1].state, COPY_FILLED);
    assert_int_equal(c->copy[3].state, COPY_FILLED);
}

static void nobody_but_its_home_ends_a_copy(void **state)
{
    struct caps cap = granted(1, CAPS_READ);
    struct caps_message answer;
    struct copies *c = &clusters[1].copies;
    struct copy *hide[COPIES];
    (void)state;
    assert_int_equal(copies_new(c, 0, &cap), 0);
    struct caps_message m = message(CAPS_READ_PART, &cap, 0);
    m.seal = 1;
    assert_int_equal(ask(2, m, &answer), CAPS_REFUSED);
    assert_int_equal(answer.seal, 0);
    uint64_t seal = clusters[0].homes.home[0].seal, none = 0;
    assert_int_equal(copies_revoked(c, 0, 0, cap.generation + 1, &none, hide), 0);
    assert_int_equal(c->copy[0].state, COPY_FILLED);
    assert_int_equal(copies_revoked(c, 0, 0, cap.generation + 1, &seal, hide), 0);
    assert_int_equal(c->copy[0].state, COPY_FILLED); /* nothing has come yet, and nothing will */
    assert_int_equal(ask(1, message(CAPS_READ_PART, &cap, 0), &answer), CAPS_DONE);
    copies_sealed(c, 0, &answer);
    c->copy[0].state = COPY_SHOWN;
    assert_int_equal(copies_revoked(c, 0, 0, cap.generation + 1, &none, hide), 0);
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t forged = seal ^ 1ull << bit;
        assert_int_equal(copies_revoked(c, 0, 0, cap.generation + 1, &forged, hide), 0);
    }
    assert_int_equal(copies_revoked(c, 0, 0, cap.generation + 1, &seal, hide), 1);
    assert_int_equal(c->copy[0].state, COPY_ENDED);
}

static void who_is_silent_is_told_again_until_it_answers_or_is_lost(void **state)
{
    struct homes *h = &clusters[0].homes;
    struct caps cap;
    struct caps_message answer;
    uint32_t told;
    (void)state;
    granted(1, CAPS_READ);
    for (unsigned n = 1; n < N; n++) {
        assert_int_equal(homes_grant(h, 0, 0, n, CAPS_READ, &cap), 0);
        assert_int_equal(ask(n, message(CAPS_READ_PART, &cap, 0), &answer), CAPS_DONE);
    }
    assert_int_equal(homes_revoke(h, 0, 0, &told), 0);
    assert_int_equal(told, 1u << 1 | 1u << 2 | 1u << 3);
    assert_int_equal(homes_told(h, 0, 1u << 1 | 1u << 2), 1u << 1 | 1u << 2);
    assert_int_equal(homes_grant(h, 0, 0, 3, CAPS_READ, &cap), 0);
    assert_int_equal(ask(3, message(CAPS_READ_PART, &cap, 0), &answer), CAPS_DONE);
    assert_int_equal(homes_revoke(h, 0, 0, &told), 0);
    assert_int_equal(told, 1u << 1 | 1u << 2 | 1u << 3);
    homes_lost(h, 1);
    assert_int_equal(homes_told(h, 0, 1u << 1 | 1u << 2), 1u << 2);
    assert_int_equal(homes_revoke(h, 0, 0, &told), 0);
    assert_int_equal(told, 1u << 2);
    homes_free(h, 0);
    assert_int_equal(homes_create(h, 1), 0);
    assert_int_equal(homes_revoke(h, 1, 0, &told), 0);
    assert_int_equal(told, 0); /* it was sent nothing of this page */
}

static void a_part_is_in_the_page_before_it_is_answered_or_never_was(void **state)
{
    struct caps cap = granted(1, CAPS_READ | CAPS_WRITE);
    struct caps_message m = message(CAPS_WRITE_PART, &cap, CAPS_PARTS - 1), answer;
    const unsigned char *last = &clusters[0].memory[0][CAPS_PAGE - 1];
    (void)state;
    memset(clusters[0].memory, 0x5a, 2 * CAPS_PAGE);
    memset(m.data, 1, sizeof(m.data));
    assert_int_equal(ask(1, m, &answer), CAPS_DONE);
    assert_int_equal(*last, 1);
    homes_put_back(&clusters[0].homes, &answer);
    for (unsigned i = 0; i < CAPS_PAGE; i++)
        assert_int_equal(clusters[0].memory[0][i], 0x5a);
    assert_int_equal(clusters[0].memory[1][0], 0x5a);
    assert_int_equal(ask(2, m, &answer), CAPS_REFUSED);
    homes_put_back(&clusters[0].homes, &answer);
    assert_int_equal(*last, 0x5a);
}

static void a_slot_whose_generations_are_spent_is_nobodys(void **state)
{
    struct homes *h = &clusters[0].homes;
    struct caps cap = granted(1, CAPS_READ);
    struct caps_message answer;
    uint32_t told;
    (void)state;
    h->home[0].generation = cap.generation = HOMES_SPENT - 1;
    assert_int_equal(ask(1, message(CAPS_READ_PART, &cap, 0), &answer), CAPS_DONE);
    assert_int_equal(homes_revoke(h, 0, 0, &told), 0);
    assert_int_equal(homes_grant(h, 0, 0, 1, CAPS_READ, &cap), -AMALGAM_EBADF);
    homes_free(h, 0);
    assert_int_equal(homes_create(h, 0), 1);
}

/* The end of a page by others */

/* Cluster n has a copy of cluster 0's page, whole but for the parts that have no word. */
static struct copy *copied(unsigned n, const struct caps *cap)
{
    struct copies *c = &clusters[n].copies;
    int id = copies_new(c, 0, cap);
    for (unsigned part = 0; part < 2; part++) {
        struct caps_message answer;
        assert_int_equal(ask(n, message(CAPS_READ_PART, cap, part), &answer), CAPS_DONE);
        copies_sealed(c, 0, &answer);
    }
    c->copy[id].state = COPY_SHOWN;
    return &c->copy[id];
}

static void a_copy_is_ended_by_its_token_alone_whatever_is_said_of_its_generation(void **state)
{
    struct caps cap = granted(1, CAPS_READ);
    const struct home *s = &clusters[0].homes.home[0];
    struct copies *c = &clusters[1].copies;
    struct copy *hide[COPIES];
    uint64_t proof = 0;
    (void)state;
    struct caps_message answer;
    assert_false(copies_prove(c, 0, 0, 0, &proof));
    copies_new(c, 0, &cap);
    assert_int_equal(ask(1, message(CAPS_READ_PART, &cap, 0), &answer), CAPS_DONE);
    copies_sealed(c, 0, &answer);
    assert_false(copies_prove(c, 0, 0, s->token[1], &proof)); /* its proof has not come */
    c->copy[0].state = COPY_FREE;
    struct copy *p = copied(1, &cap);
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t forged = s->token[1] ^ 1ull << bit;
        assert_false(copies_prove(c, 0, 0, forged, &proof));
        assert_int_equal(copies_ended(c, 0, 0, forged, hide), 0);
    }
    assert_false(copies_prove(c, 2, 0, s->token[1], &proof) || copies_prove(c, 0, 1, s->token[1], &proof));
    assert_false(copies_prove(c, 0, 0, s->seal, &proof)); /* which all holders know */
    assert_int_equal(p->state, COPY_SHOWN);
    assert_true(copies_prove(c, 0, 0, s->token[1], &proof) && proof == s->proof[1]);
    assert_int_equal(copies_ended(c, 0, 0, s->token[1], hide), 1);
    assert_ptr_equal(hide[0], p);
    assert_int_equal(p->state, COPY_ENDED);
    assert_false(copies_prove(c, 0, 0, s->token[1], &proof)); /* who knows it has others told once */
    p = copied(1, &cap);
    p->state = COPY_FREE; /* its client lets it go: that is an answer, too */
    assert_true(copies_prove(c, 0, 0, s->token[1], &proof));
    copies_new(c, 0, &cap);
    assert_false(copies_prove(c, 0, 0, s->token[1], &proof));
}

static void tokens_and_proofs_are_one_generations_and_one_clusters(void **state)
{
    struct homes *h = &clusters[0].homes;
    struct caps cap = granted(1, CAPS_READ), second;
    uint32_t told;
    (void)state;
    assert_int_equal(homes_grant(h, 0, 0, 2, CAPS_READ, &second), 0);
    copied(1, &cap);
    copied(2, &second);
    uint64_t token = h->home[0].token[1], proof = h->home[0].proof[1];
    assert_true(token != h->home[0].token[2] && proof != h->home[0].proof[2] && token != proof);
    assert_int_equal(homes_revoke(h, 0, 0, &told), 0);
    assert_int_equal(h->home[0].ending, 1u << 1 | 1u << 2);
    homes_told(h, 0, 1u << 1); /* it may have a copy of the former generation */
    assert_int_equal(homes_grant(h, 0, 0, 1, CAPS_READ, &cap), 0);
    copied(1, &cap);
    assert_true(token != h->home[0].token[1] && proof != h->home[0].proof[1]);
    assert_int_equal(homes_revoke(h, 0, 0, &told), 0);
    assert_int_equal(told, 1u << 1);
    assert_int_equal(h->home[0].ending, 0); /* so nobody else tells it */
}

/* Its home has taken it for lost, and granted it the page anew: the copy of before has another token. */
static void a_token_ends_all_copies_of_its_generation(void **state)
{
    struct homes *h = &clusters[0].homes;
    struct copies *c = &clusters[1].copies;
    struct caps cap = granted(1, CAPS_READ);
    struct copy *hide[COPIES], *former = copied(1, &cap);
    (void)state;
    homes_lost(h, 1);
    assert_int_equal(homes_grant(h, 0, 0, 1, CAPS_READ, &cap), 0);
    struct copy *later = copied(1, &cap);
    assert_true(former->words[0] != later->words[0]);
    assert_int_equal(copies_ended(c, 0, 0, h->home[0].token[1], hide), 2);
    assert_true(former->state == COPY_ENDED && later->state == COPY_ENDED);
}

/* A question for cluster 1 with the children 2 and 3. */
static struct caps_message with_children(const struct home *s)
{
    struct caps_message m = { .magic = CAPS_MAGIC, .op = CAPS_ENDED, .children = 2, .key = s->token[1] };
    for (uint32_t i = 0; i < 2; i++) {
        struct caps_child child = { .node = 2 + i, .token = s->token[2 + i] };
        memcpy(m.data + i * sizeof(child), &child, sizeof(child));
    }
    return m;
}

static void who_tells_others_answers_with_all_proofs_or_says_that_it_cannot(void **state)
{
    struct relays *r = &clusters[1].relays;
    struct home s = { .token = { 0, 1, 2, 3 }, .proof = { 0, 0x10, 0x200, 0x3000 } };
    struct caps_message m = with_children(&s), answer, from = { .op = CAPS_ENDED | CAPS_ANSWER };
    unsigned node;
    (void)state;
    for (unsigned failed = 0; failed < 2; failed++) {
        assert_true(relay_begin(r, 0, &m, s.proof[1]));
        for (unsigned i = 0; i < 2; i++) {
            struct caps_message question = relay_question(&m, i, &node);
            assert_true(node == 2 + i && question.key == s.token[node] && !question.children);
        }
        assert_false(relay_end(r, 0, &m, true, &answer));
        from.nonce = s.proof[3];
        assert_int_equal(relay_answered(r, 0, &from, &answer), HOMES_CLUSTERS); /* no child */
        from.slot = 1;
        assert_int_equal(relay_answered(r, 3, &from, &answer), HOMES_CLUSTERS);
        from.slot = 0;
        assert_int_equal(relay_answered(r, 3, &from, &answer), HOMES_CLUSTERS);
        assert_int_equal(relay_answered(r, 3, &from, &answer), HOMES_CLUSTERS); /* twice */
        from.nonce = s.proof[2];
        from.result = failed ? CAPS_WRONG : CAPS_DONE;
        assert_int_equal(relay_answered(r, 2, &from, &answer), 0);
        assert_int_equal(answer.nonce, failed ? 0 : 0x3210);
        assert_int_equal(answer.result, from.result);
        from.result = CAPS_DONE;
        assert_int_equal(relay_answered(r, 2, &from, &answer), HOMES_CLUSTERS); /* it is over */
    }
    assert_true(relay_begin(r, 0, &m, s.proof[1]));
    assert_true(relay_end(r, 0, &m, false, &answer)); /* a child has no room */
    assert_true(answer.result == CAPS_WRONG && !answer.nonce);
    from.nonce = s.proof[3];
    assert_int_equal(relay_answered(r, 3, &from, &answer), HOMES_CLUSTERS);
}

static void a_list_of_children_that_is_wrong_is_refused(void **state)
{
    struct relays *r = &clusters[1].relays;
    struct home s = { .token = { 0, 1, 2, 3 } };
    struct caps_message m = with_children(&s);
    uint32_t *node = (uint32_t *)(m.data + offsetof(struct caps_child, node));
    (void)state;
    for (unsigned n = 0; n < 256; n++) {
        *node = n;
        assert_int_equal(relay_begin(r, 0, &m, 0), n == 2); /* not the asker, itself, the other child, or none */
    }
    *node = 2u + (1u << 31);
    assert_false(relay_begin(r, 0, &m, 0));
    *node = 2;
    m.children = CAPS_CHILDREN + 1;
    assert_false(relay_begin(r, 0, &m, 0));
}

/* Random operations */

#define QUEUE 8u
static struct queue {
    unsigned n;
    struct caps_message m[QUEUE];
} queues[N][N]; /* from, to */

/* What is right: which words are good for whom, what was sent in this generation, whose answers are awaited. */
static struct right {
    bool used, revoking;
    struct caps cap, former;
    unsigned rights[N], told, owing; /* owing: were silent */
    unsigned char first;             /* byte of the page */
    unsigned asked, group;           /* who is to tell others, and for whom it answers: bits */
    uint64_t sum;                    /* by this */
} rights[N][HOMES];
static unsigned filled[N][COPIES]; /* 1: asked; 2: its data have come, three parts */

static bool put(unsigned from, unsigned to, const struct caps_message *m)
{
    struct queue *q = &queues[from][to];
    if (q->n == QUEUE)
        return false;
    q->m[q->n++] = *m;
    return true;
}

/* No living cluster shows the slot in a generation that is over. */
static void check_end(unsigned home, unsigned slot)
{
    if (!rights[home][slot].revoking || rights[home][slot].told)
        return;
    rights[home][slot].revoking = false;
    assert_int_equal(homes_told(&clusters[home].homes, slot, 0), 0);
    for (unsigned n = 0; n < N; n++)
        for (unsigned i = 0; i < COPIES; i++) {
            const struct copy *p = &clusters[n].copies.copy[i];
            assert_false(p->state == COPY_SHOWN && p->cap.home == home && p->cap.slot == slot &&
                         p->cap.generation != clusters[home].homes.home[slot].generation);
        }
}

static void lose(unsigned lost)
{
    struct copy *hide[COPIES];
    for (unsigned n = 0; n < N; n++) {
        queues[n][lost].n = queues[lost][n].n = 0;
        homes_lost(&clusters[n].homes, lost);
        copies_lost(&clusters[n].copies, lost, hide);
        for (unsigned s = 0; s < HOMES; s++) {
            rights[n][s].rights[lost] = 0;
            rights[n][s].told &= ~(1u << lost);
            rights[n][s].owing &= ~(1u << lost);
        }
    }
    memset(rights[lost], 0, sizeof(rights[lost]));
    memset(filled[lost], 0, sizeof(filled[lost]));
    begin(lost);
    for (unsigned n = 0; n < N; n++)
        for (unsigned s = 0; s < HOMES; s++)
            check_end(n, s);
}

/* The first one of the group tells all others. If it does not, they are silent. */
static void tell_by_one(unsigned n, unsigned slot)
{
    struct right *r = &rights[n][slot];
    const struct home *s = &clusters[n].homes.home[slot];
    struct caps_message m = { .magic = CAPS_MAGIC, .op = CAPS_ENDED, .part = (uint8_t)n, .slot = slot };
    m.generation = s->generation;
    r->sum = 0;
    r->asked = N;
    for (unsigned i = 0; i < N; i++) {
        if (!(r->group >> i & 1))
            continue;
        r->sum ^= s->proof[i];
        struct caps_child child = { .node = i, .token = s->token[i] };
        if (r->asked < N)
            memcpy(m.data + m.children++ * sizeof(child), &child, sizeof(child));
        else
            r->asked = i, m.key = child.token;
    }
    put(n, r->asked, &m);
}

/* As the server does (main.c). */
static void be_ended(unsigned n, unsigned from, const struct caps_message *m)
{
    struct cluster *c = &clusters[n];
    struct copy *hide[COPIES];
    struct caps_message answer;
    uint64_t proof;
    bool right = copies_prove(&c->copies, m->part, m->slot, m->key, &proof) && relay_begin(&c->relays, from, m, proof);
    for (unsigned i = 0, child; right && i < m->children; i++) {
        struct caps_message question = relay_question(m, i, &child);
        right = put(n, child, &question);
    }
    if (right)
        copies_ended(&c->copies, m->part, m->slot, m->key, hide);
    if (relay_end(&c->relays, from, m, right, &answer))
        put(n, from, &answer);
}

/* By the one that was asked, or for it. */
static void ended(unsigned n, unsigned from, const struct caps_message *m)
{
    struct caps_message answer;
    struct right *r = &rights[n][m->slot % HOMES];
    if (r->revoking && r->group && from == r->asked && m->nonce == r->sum) {
        r->told &= ~r->group;
        r->group = 0;
        check_end(n, m->slot);
        return;
    }
    unsigned to = relay_answered(&clusters[n].relays, from, m, &answer);
    if (to < N)
        put(n, to, &answer);
}

/* A cluster answers though not all others have; ends what others hold by what it knows; or says so to one that knows
 * it. */
static void lie(unsigned n)
{
    const struct copy *p = &clusters[n].copies.copy[dice(COPIES)];
    const struct relay *r = &clusters[n].relays.of[dice(N)];
    unsigned to = dice(N);
    struct caps_message m = { .magic = CAPS_MAGIC, .op = CAPS_ENDED, .part = (uint8_t)p->cap.home };
    m.slot = p->cap.slot;
    m.generation = p->cap.generation + dice(2);
    m.key = p->words[0];
    if (dice(2)) {
        m.op |= CAPS_ANSWER;
        m.part = r->home, m.slot = r->slot, m.generation = r->generation;
        m.nonce = dice(2) ? r->sum : p->words[1];
        to = dice(2) ? r->home : to;
    }
    if (to != n)
        put(n, to, &m);
}

static void own(unsigned n)
{
    struct homes *h = &clusters[n].homes;
    unsigned slot = dice(HOMES), client = dice(2), to = dice(N), want = 1 + dice(3);
    struct right *r = &rights[n][slot];
    bool mine = r->used && h->home[slot].client == client;
    uint32_t told;
    if (dice(4) == 0) {
        int made = homes_create(h, client);
        if (made < 0)
            return;
        assert_false(rights[n][made].used);
        rights[n][made] = (struct right){ .used = true };
    } else if (dice(2)) {
        struct caps cap;
        int err = homes_grant(h, client, slot, to, want, &cap);
        assert_int_equal(err, !mine ? -AMALGAM_EBADF : to == n ? -AMALGAM_EINVAL : 0);
        if (!err) {
            r->cap = cap;
            r->rights[to] |= want;
        }
    } else if (mine && !r->revoking) {
        assert_int_equal(homes_revoke(h, client, slot, &told), 0);
        assert_int_equal(told & r->owing, r->owing);
        r->owing = 0;
        struct caps_message m = { .magic = CAPS_MAGIC, .op = CAPS_REVOKED, .slot = slot };
        m.generation = h->home[slot].generation;
        m.seal = h->home[slot].seal;
        r->former = r->cap;
        r->cap.key = 0;
        r->told = told;
        r->revoking = true;
        memset(r->rights, 0, sizeof(r->rights));
        r->group = dice(2) ? h->home[slot].ending : 0;
        if (r->group)
            tell_by_one(n, slot);
        for (unsigned i = 0; i < N; i++)
            if ((told & ~r->group) >> i & 1 && !put(n, i, &m))
                lose(i); /* it does not take anything */
        check_end(n, slot);
    } else if (mine && !dice(4)) { /* who has not answered by now is silent */
        assert_int_equal(homes_told(h, slot, r->told), r->told);
        r->owing = r->told;
        r->group = 0;
        r->revoking = false;
    }
}

static void copy(unsigned n)
{
    unsigned home = dice(N), slot = dice(HOMES), id = dice(COPIES), client = dice(2);
    struct copy *p = copies_of(&clusters[n].copies, client, id);
    if (!p && home != n) {
        const struct right *r = &rights[home][slot];
        struct caps cap = dice(4) ? r->cap : r->former;
        cap.home = home, cap.slot = slot;
        int made = copies_new(&clusters[n].copies, client, &cap);
        struct caps_message m = message(CAPS_READ_PART, &cap, 0);
        if (made < 0)
            return;
        m.nonce = (uint64_t)made;
        filled[n][made] = put(n, home, &m);
    } else if (p && p->state == COPY_FILLED && filled[n][id] == 2) {
        p->state = COPY_SHOWN;
    } else if (p && (p->state != COPY_FILLED || !filled[n][id])) {
        p->state = COPY_FREE;
        filled[n][id] = 0;
    }
}

static void answered(unsigned n, unsigned from, const struct caps_message *m)
{
    if (m->op == (CAPS_REVOKED | CAPS_ANSWER)) {
        if (m->generation != clusters[n].homes.home[m->slot].generation)
            return; /* late */
        rights[n][m->slot].told &= ~(1u << from);
        check_end(n, m->slot);
        return;
    }
    if (m->op == (CAPS_READ_PART | CAPS_ANSWER) && m->result == CAPS_DONE)
        copies_sealed(&clusters[n].copies, from, m);
    unsigned id = (unsigned)m->nonce;
    if (id >= COPIES || filled[n][id] != 1) /* one that was lost with its home is not awaited */
        return;
    filled[n][id] = m->result != CAPS_DONE ? 0 : m->part == 2 ? 2 : 1;
    if (filled[n][id] == 1) {
        struct caps_message next = message(CAPS_READ_PART, &clusters[n].copies.copy[id].cap, m->part + 1u);
        next.nonce = id;
        filled[n][id] = put(n, from, &next);
    }
}

static unsigned long carried_out; /* questions about pages that were good */

static void deliver(unsigned from, unsigned n)
{
    struct queue *q = &queues[from][n];
    struct copy *hide[COPIES];
    if (!q->n)
        return;
    struct caps_message m = q->m[0], answer = m;
    memmove(q->m, q->m + 1, --q->n * sizeof(m));
    if (m.op == (CAPS_ENDED | CAPS_ANSWER)) {
        ended(n, from, &m);
        return;
    }
    if (m.op & CAPS_ANSWER) {
        answered(n, from, &m);
        return;
    }
    if (m.op == CAPS_ENDED) {
        be_ended(n, from, &m);
        return;
    }
    if (m.op == CAPS_REVOKED) {
        copies_revoked(&clusters[n].copies, from, m.slot, m.generation, &m.seal, hide);
        answer.op |= CAPS_ANSWER;
    } else {
        const struct right *r = &rights[n][m.slot % HOMES];
        unsigned right = m.op == CAPS_READ_PART ? CAPS_READ : CAPS_WRITE;
        bool good = m.slot < HOMES && r->used && r->cap.key && m.key == r->cap.key &&
                    m.generation == r->cap.generation && r->rights[from] & right && m.part < CAPS_PARTS;
        assert_true(homes_answer(&clusters[n].homes, from, &answer));
        assert_int_equal(answer.result == CAPS_DONE, good);
        carried_out += good;
        if (good && m.op == CAPS_READ_PART && !m.part)
            assert_int_equal(answer.data[0], r->first);
        if (queues[n][from].n == QUEUE)
            homes_put_back(&clusters[n].homes, &answer);
        else if (good && m.op == CAPS_WRITE_PART && !m.part)
            rights[n][m.slot].first = m.data[0];
    }
    if (!put(n, from, &answer))
        lose(from);
}

/* Send what is good but for one word, or all of it, from a cluster that has it or has not. */
static void forge(unsigned n)
{
    unsigned to = (n + 1 + dice(N - 1)) % N, slot = dice(HOMES), word = dice(8);
    struct caps_message m = message(dice(2) ? CAPS_READ_PART : CAPS_WRITE_PART, &rights[to][slot].cap, dice(2));
    m.slot = slot;
    m.slot ^= word == 0 ? 1u << dice(32) : 0;
    m.generation ^= word == 1 ? 1u << dice(32) : 0;
    m.key ^= word == 2 ? 1ull << dice(64) : 0;
    m.part = word == 3 ? (uint8_t)dice(256) : m.part;
    m.data[0] = (uint8_t)dice(256);
    m.nonce = COPIES; /* nobody awaits its answer */
    put(n, to, &m);
}

static void random_operations_of_four_clusters_answer_as_the_reference_does(void **state)
{
    (void)state;
    const char *many = getenv("STEPS");
    unsigned long rounds = many ? strtoul(many, NULL, 10) : 100000;
    for (unsigned long i = 0; i < rounds; i++) {
        unsigned n = dice(N);
        switch (dice(8)) {
        case 0: own(n); break;
        case 1: copy(n); break;
        case 2: dice(2) ? forge(n) : lie(n); break;
        case 3:
            if (!dice(500))
                lose(n);
            break;
        default: deliver(dice(N), n); break;
        }
    }
    assert_true(carried_out >= rounds / 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_cluster_has_the_rights_that_it_was_granted_and_no_other_has_any, setup),
        cmocka_unit_test_setup(each_forged_word_is_refused, setup),
        cmocka_unit_test_setup(a_client_has_its_share_and_what_it_made, setup),
        cmocka_unit_test_setup(a_revocation_ends_the_copies_of_its_page_alone, setup),
        cmocka_unit_test_setup(one_that_is_being_filled_may_be_of_a_later_generation, setup),
        cmocka_unit_test_setup(nobody_but_its_home_ends_a_copy, setup),
        cmocka_unit_test_setup(who_is_silent_is_told_again_until_it_answers_or_is_lost, setup),
        cmocka_unit_test_setup(a_part_is_in_the_page_before_it_is_answered_or_never_was, setup),
        cmocka_unit_test_setup(a_slot_whose_generations_are_spent_is_nobodys, setup),
        cmocka_unit_test_setup(a_copy_is_ended_by_its_token_alone_whatever_is_said_of_its_generation, setup),
        cmocka_unit_test_setup(a_token_ends_all_copies_of_its_generation, setup),
        cmocka_unit_test_setup(tokens_and_proofs_are_one_generations_and_one_clusters, setup),
        cmocka_unit_test_setup(who_tells_others_answers_with_all_proofs_or_says_that_it_cannot, setup),
        cmocka_unit_test_setup(a_list_of_children_that_is_wrong_is_refused, setup),
        cmocka_unit_test_setup(random_operations_of_four_clusters_answer_as_the_reference_does, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
