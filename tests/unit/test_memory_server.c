/* SPDX-License-Identifier: MIT */
/* test_memory_server.c - the pages of a memory server: whose they are, shares, clients that have died, random messages.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "memory/pages.h"

#define LIFE     100 /* of the server */
#define CLUSTERS 4
#define PAGES    64
#define SHARE    (PAGES / CLUSTERS)

static struct pages pages;
static struct page_owner owner[PAGES];
static unsigned char memory[PAGES * MEMORY_PAGE];
static uint64_t now;

static int setup(void **state)
{
    (void)state;
    now = 1;
    memset(memory, 0xee, sizeof(memory));
    pages_begin(&pages, PAGES, memory, owner, CLUSTERS, LIFE);
    return 0;
}

static struct memory_message request(enum memory_op op, uint64_t client, unsigned page)
{
    return (
        struct memory_message){ .magic = MEMORY_MAGIC, .op = (uint8_t)op, .client = client, .page = (uint16_t)page };
}

static const unsigned char *sent; /* the page that the last answer has with it */
static uint64_t former;           /* subtracted from the life of a request's pages */

static uint64_t life_of(unsigned node, uint64_t client)
{
    for (unsigned k = 0; node < PAGES_CLUSTERS && k < PAGES_CLIENTS; k++)
        if (pages.client[node][k].has && pages.client[node][k].number == client)
            return pages.client[node][k].life;
    return 0;
}

static struct memory_message ask(unsigned node, struct memory_message m, int answer)
{
    sent = NULL;
    m.life = life_of(node, m.client) - former;
    assert_int_equal(pages_serve(&pages, node, &m, now, &sent), answer);
    assert_true(!answer || m.client == 0); /* nobody learns a client's number */
    return m;
}

static unsigned alloc(unsigned node, uint64_t client)
{
    struct memory_message m = ask(node, request(MEMORY_ALLOC, client, 0), 1);
    return m.result == MEMORY_DONE ? m.page : 0;
}

static void fill(unsigned node, uint64_t client, unsigned page, unsigned char byte)
{
    for (unsigned part = 0; part < MEMORY_PARTS; part++) {
        struct memory_message m = request(MEMORY_WRITE, client, page);
        m.part = (uint8_t)part;
        memset(m.data, byte, sizeof(m.data));
        m = ask(node, m, part == MEMORY_PARTS - 1);
        assert_int_equal(m.result, MEMORY_DONE);
    }
}

static void a_page_is_its_clients_and_what_was_written_is_read(void **state)
{
    (void)state;
    unsigned one = alloc(1, 7), two = alloc(1, 8);
    assert_true(one && two && one != two);
    ask(1, request(MEMORY_READ, 7, one), 2);
    for (unsigned i = 0; i < MEMORY_PAGE; i++)
        assert_int_equal(sent[i], 0); /* nothing of a former owner */
    fill(1, 7, one, 0x11);
    fill(1, 8, two, 0x22);
    ask(1, request(MEMORY_READ, 7, one), 2);
    assert_true(sent[0] == 0x11 && sent[MEMORY_PAGE - 1] == 0x11);
    assert_int_equal(ask(1, request(MEMORY_READ, 8, one), 1).result, MEMORY_NONE); /* another client */
    assert_int_equal(ask(2, request(MEMORY_READ, 7, one), 1).result, MEMORY_NONE); /* another cluster */
    assert_int_equal(ask(2, request(MEMORY_FREE, 7, one), 1).result, MEMORY_NONE);
    assert_int_equal(ask(1, request(MEMORY_FREE, 7, one), 1).result, MEMORY_DONE);
    assert_int_equal(ask(1, request(MEMORY_FREE, 7, one), 1).result, MEMORY_NONE);
    ask(1, request(MEMORY_READ, 8, two), 2);
    assert_true(sent[0] == 0x22 && sent[MEMORY_PAGE - 1] == 0x22);
}

static void a_page_is_read_in_parts_too(void **state)
{
    (void)state;
    unsigned page = alloc(1, 7), other = alloc(1, 8);
    fill(1, 7, page, 0x33);
    fill(1, 8, other, 0x44);
    struct memory_message m = request(MEMORY_READ_PART, 7, page);
    for (unsigned part = 0; part < MEMORY_PARTS; part++) {
        m.part = (uint8_t)part;
        struct memory_message said = ask(1, m, 1);
        bool last = part == MEMORY_PARTS - 1;
        assert_true(said.result == MEMORY_DONE && said.data[0] == 0x33);
        assert_int_equal(said.data[MEMORY_PART - 1], last ? 0 : 0x33); /* what is behind the page is not said */
    }
    m.part = MEMORY_PARTS;
    assert_int_equal(ask(1, m, 1).result, MEMORY_WRONG);
    assert_int_equal(ask(1, request(MEMORY_READ_PART, 8, page), 1).result, MEMORY_NONE);
    assert_int_equal(ask(2, request(MEMORY_READ_PART, 7, page), 1).result, MEMORY_NONE);
}

static void a_cluster_has_its_share_of_the_pages(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SHARE; i++)
        assert_true(alloc(1, i % PAGES_CLIENTS));
    assert_false(alloc(1, 0));
    for (unsigned i = 0; i < SHARE; i++)
        assert_true(alloc(2, 0));
    for (unsigned i = 0; i < PAGES_CLIENTS; i++)
        assert_true(alloc(3, 100 + i));
    assert_false(alloc(3, 99)); /* nor more clients than it may have */
}

static void the_pages_of_a_client_that_has_died_are_given_to_others_of_its_cluster(void **state)
{
    (void)state;
    unsigned kept = alloc(1, 5);
    for (unsigned i = 1; i < SHARE; i++)
        assert_true(alloc(1, 6));
    now += PAGES_SILENT - 1;
    ask(1, request(MEMORY_READ, 5, kept), 2);
    assert_false(alloc(1, 5));
    now += 1;
    for (unsigned i = 1; i < SHARE; i++)
        assert_true(alloc(1, 7));
    assert_false(alloc(1, 7));
    ask(1, request(MEMORY_READ, 5, kept), 2);
    assert_false(alloc(2, 1) == 0);
}

static void a_page_that_a_silent_client_had_is_not_the_one_that_it_gets_later(void **state)
{
    (void)state;
    unsigned kept = alloc(1, 5), others[SHARE];
    uint64_t life = life_of(1, 5);
    now += PAGES_SILENT;
    for (unsigned i = 0; i < SHARE; i++)
        assert_true((others[i] = alloc(1, 6)));
    former = 0 - life; /* it has none now */
    assert_int_equal(ask(1, request(MEMORY_READ, 5, kept), 1).result, MEMORY_LOST);
    former = 0;
    for (unsigned i = 0; i < SHARE; i++)
        assert_int_equal(ask(1, request(MEMORY_FREE, 6, others[i]), 1).result, MEMORY_DONE);
    for (unsigned page = 0; page != kept;)
        assert_true((page = alloc(1, 5)));
    ask(1, request(MEMORY_READ, 5, kept), 2);
    former = life_of(1, 5) - life;
    assert_int_equal(ask(1, request(MEMORY_READ, 5, kept), 1).result, MEMORY_LOST);
    assert_int_equal(ask(1, request(MEMORY_FREE, 5, kept), 1).result, MEMORY_LOST);
    former = 0;
    ask(1, request(MEMORY_READ, 5, kept), 2);
}

static void a_request_that_comes_twice_gets_one_page(void **state)
{
    (void)state;
    struct memory_message m = request(MEMORY_ALLOC, 5, 0);
    m.tag = 9;
    unsigned first = ask(1, m, 1).page;
    m.part = 1;
    assert_int_equal(ask(1, m, 1).page, first);
    m.client = 6;
    assert_int_not_equal(ask(1, m, 1).page, first);
}

/* Also to one that had none for a while, in which another one of its cluster came and went. */
static void a_free_says_how_many_pages_its_client_has(void **state)
{
    (void)state;
    unsigned others = alloc(1, 6), only = alloc(1, 5);
    assert_int_equal(ask(1, request(MEMORY_FREE, 5, only), 1).tag, 0);
    assert_int_equal(ask(1, request(MEMORY_FREE, 6, others), 1).tag, 0);
    unsigned first = alloc(1, 5), second = alloc(1, 5), third = alloc(1, 5);
    assert_true(third && ask(1, request(MEMORY_FREE, 5, first), 1).tag == 2);
    assert_int_equal(ask(1, request(MEMORY_FREE, 5, first), 1).tag, 2);
    assert_int_equal(ask(1, request(MEMORY_FREE, 6, second), 1).tag, 0);
    assert_int_equal(ask(1, request(MEMORY_FREE, 5, second), 1).tag, 1);
}

static void what_is_no_request_changes_nothing(void **state)
{
    (void)state;
    unsigned page = alloc(1, 5);
    struct memory_message m = request(MEMORY_WRITE, 5, page);
    m.part = MEMORY_PARTS;
    assert_int_equal(ask(1, m, 1).result, MEMORY_WRONG);
    m = request(MEMORY_READ, 5, page);
    m.port = 16;
    assert_int_equal(ask(1, m, 1).result, MEMORY_WRONG);
    assert_int_equal(ask(1, request(9, 5, page), 1).result, MEMORY_WRONG);
    assert_int_equal(ask(1, request(MEMORY_READ, 5, 0), 1).result, MEMORY_NONE);
    assert_int_equal(ask(1, request(MEMORY_READ, 5, PAGES + 1), 1).result, MEMORY_NONE);
    m = request(MEMORY_FREE, 5, page);
    m.magic++;
    ask(1, m, 0);
    ask(PAGES_CLUSTERS, request(MEMORY_FREE, 5, page), 0);
    ask(1, request(MEMORY_READ, 5, page), 2);
}

/* Each page's owner and what it was filled with, as it should be. */
static struct {
    unsigned node, byte;
    uint64_t client;
} model[PAGES + 1];

static unsigned pages_of(unsigned node, uint64_t client)
{
    unsigned n = 0;
    for (unsigned page = 1; page <= PAGES; page++)
        n += model[page].node == node && model[page].client == client;
    return n;
}

static void random_messages_do_what_a_list_of_pages_says(void **state)
{
    (void)state;
    const char *many = getenv("STEPS");
    unsigned long rounds = many ? strtoul(many, NULL, 10) : 10000, full = 0, reads = 0;
    unsigned has[CLUSTERS] = { 0 };
    memset(model, 0, sizeof(model));
    srand(36);
    for (unsigned long i = 0; i < rounds; i++) {
        unsigned node = (unsigned)rand() % CLUSTERS, page = (unsigned)rand() % (PAGES + 1),
                 byte = 1 + (unsigned)rand() % 255;
        uint64_t client = 1 + (uint64_t)(rand() % 3);
        bool mine = model[page].client == client && model[page].node == node;
        struct memory_message rubbish, said;
        switch (rand() % 6) {
        case 0:
        case 1:
            page = alloc(node, client);
            assert_int_equal(page != 0, has[node] < SHARE);
            full += !page;
            if (!page)
                break;
            assert_int_equal(model[page].client, 0);
            model[page].client = client;
            model[page].node = node;
            model[page].byte = 0;
            has[node]++;
            break;
        case 2:
            said = ask(node, request(MEMORY_FREE, client, page), 1);
            assert_int_equal(said.result, mine ? MEMORY_DONE : MEMORY_NONE);
            has[node] -= mine;
            if (mine)
                model[page].client = 0;
            assert_int_equal(said.tag, pages_of(node, client));
            break;
        case 3:
            if (mine) {
                fill(node, client, page, (unsigned char)byte);
                model[page].byte = byte;
            }
            break;
        case 4:
            for (unsigned k = 0; k < sizeof(rubbish); k++)
                ((unsigned char *)&rubbish)[k] = (unsigned char)rand();
            rubbish.magic = MEMORY_MAGIC;
            rubbish.op = rubbish.op == MEMORY_ALLOC ? 0 : rubbish.op;
            pages_serve(&pages, (unsigned)rand() % 300, &rubbish, now, &sent);
            break;
        default:
            ask(node, request(MEMORY_READ, client, page), mine ? 2 : 1);
            assert_true(!mine || (sent[0] == model[page].byte && sent[MEMORY_PAGE - 1] == model[page].byte));
            reads += mine;
        }
    }
    assert_true(full > 0 && reads > 10);
}

#define TEST(t) cmocka_unit_test_setup(t, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_page_is_its_clients_and_what_was_written_is_read),
        TEST(a_page_is_read_in_parts_too),
        TEST(a_cluster_has_its_share_of_the_pages),
        TEST(the_pages_of_a_client_that_has_died_are_given_to_others_of_its_cluster),
        TEST(a_page_that_a_silent_client_had_is_not_the_one_that_it_gets_later),
        TEST(a_request_that_comes_twice_gets_one_page),
        TEST(a_free_says_how_many_pages_its_client_has),
        TEST(what_is_no_request_changes_nothing),
        TEST(random_messages_do_what_a_list_of_pages_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
